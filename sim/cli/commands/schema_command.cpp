#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"
#include "sim/report/fields/forecast_fields.hpp"
#include "sim/report/json/option_schema.hpp"
#include "traces/catalog.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".schema.json";
constexpr const char* kOptions = "options";

fs::path folder() {
  return data_root() / "configs/schema";
}

std::vector<std::string> schema_names() {
  std::vector<std::string> names{kOptions};
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(folder(), absent)) {
    const std::string file = entry.path().filename().string();
    if (file.ends_with(kSuffix))
      names.push_back(file.substr(0, file.size() - kSuffix.size()));
  }
  std::ranges::sort(names);
  return names;
}

using Json = nlohmann::ordered_json;

/// A schema may refer to another file, as that of a comparison to that of a forecast. Who has the
/// printed text has no files: makes what is referred to a definition of the same document.
void embed(Json& node, Json& definitions) {
  if (node.is_structured())
    for (Json& child : node)
      embed(child, definitions);
  if (!node.is_object() || !node.contains("$ref"))
    return;
  const std::string file = node["$ref"];
  if (!file.ends_with(kSuffix))
    return;
  const std::string name = file.substr(0, file.size() - kSuffix.size());
  node["$ref"] = "#/definitions/" + name;
  if (definitions.contains(name))
    return;
  Json other = Json::parse(schema_text(name));
  other.erase("$schema");
  definitions.update(other.value("definitions", Json::object()));
  other.erase("definitions");
  embed(other, definitions);
  definitions[name] = std::move(other);
}

std::string complete_text_of(const std::string& name) {
  const std::string text = schema_text(name);
  Json schema = Json::parse(text);
  Json definitions = schema.value("definitions", Json::object());
  const std::size_t own = definitions.size();
  embed(schema, definitions);
  if (definitions.size() == own)
    return text;
  schema["definitions"] = std::move(definitions);
  return schema.dump(2) + "\n";
}

/// Prints the JSON Schema of a file format, or of what a command prints.
class SchemaCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {
        .description =
            "Without NAME: the names. That of a command (run, compare, ...) is the schema of "
            "what its\n--json prints; parts, edge and ways are those of run --parts, run --edge "
            "and compare --goal;\noptions: the options of all schedules.",
        .examples = {"stepcast schema workload", "stepcast schema run > run.schema.json"}};
  }

  std::vector<CommandOption> options() override {
    return {{"NAME", "", &name_, "workload, cluster, ..., or a command: run, compare, ..."}};
  }

  int run() override {
    const std::vector<std::string> names = schema_names();
    if (name_.empty()) {
      say("{}\n", fmt::join(names, "\n"));
      return 0;
    }
    if (std::ranges::find(names, name_) == names.end())
      throw InputError(fmt::format("unknown schema {}: expected one of {}{}", in_quotes(name_),
                                   fmt::join(names, ", "), did_you_mean(name_, names)));
    say("{}", name_ == kOptions ? option_schema() : complete_text_of(name_));
    return 0;
  }

 private:
  std::string name_;
};

}  // namespace

std::unique_ptr<Subcommand> make_schema_command() {
  return std::make_unique<SchemaCommand>();
}

}  // namespace stepcast
