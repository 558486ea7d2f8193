#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/cli/subcommand.hpp"
#include "traces/catalog.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".schema.json";

fs::path folder() {
  return data_root() / "configs/schema";
}

std::vector<std::string> schema_names() {
  std::vector<std::string> names;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(folder(), absent)) {
    const std::string file = entry.path().filename().string();
    if (file.ends_with(kSuffix))
      names.push_back(file.substr(0, file.size() - kSuffix.size()));
  }
  std::ranges::sort(names);
  return names;
}

/// Prints the JSON Schema of a file format.
class SchemaCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.name = "schema",
            .summary = "Print the JSON Schema (draft-07) of a file format",
            .description = "Without NAME: the names of the formats.",
            .examples = {"stepcast schema workload", "stepcast schema cluster > cluster.json"}};
  }

  std::vector<CommandOption> options() override {
    return {{"NAME", "", &name_, "workload, cluster, experiment, ..."}};
  }

  int run() override {
    const std::vector<std::string> names = schema_names();
    if (name_.empty()) {
      fmt::print("{}\n", fmt::join(names, "\n"));
      return 0;
    }
    if (std::ranges::find(names, name_) == names.end())
      throw InputError(fmt::format("unknown schema {}: expected one of {}{}", in_quotes(name_),
                                   fmt::join(names, ", "), did_you_mean(name_, names)));
    fmt::print("{}", read_text_file(folder() / (name_ + std::string(kSuffix))));
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
