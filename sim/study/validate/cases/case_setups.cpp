#include "sim/study/validate/cases/case_setups.hpp"

#include <nlohmann/json.hpp>

#include "models/base/text.hpp"
#include "traces/catalog.hpp"
#include "traces/json/strict_json.hpp"
#include "traces/readers/stepcast/format_header.hpp"

namespace stepcast {
namespace {

std::map<std::string, std::string> texts_of(ObjectReader& reader, std::string_view key) {
  std::map<std::string, std::string> texts;
  if (!reader.has(key))
    return texts;
  const nlohmann::json& json = reader.raw(key);
  if (!json.is_object())
    reader.fail(key, "expected an object of texts");
  for (const auto& [name, value] : json.items()) {
    if (!value.is_string())
      reader.fail(key, "expected texts, such as \"1ms\" or \"yes\"");
    texts[name] = value.get<std::string>();
  }
  return texts;
}

std::map<std::string, ScheduleOptions> options_by_precision(ObjectReader& reader) {
  std::map<std::string, ScheduleOptions> options;
  if (!reader.has("precisions"))
    return options;
  ObjectReader precisions = reader.object("precisions");
  for (const char* precision : {"fp32", "fp16", "bf16", "fp8"})
    if (precisions.has(precision))
      options[precision] = texts_of(precisions, precision);
  precisions.finish();
  return options;
}

bool flag_of(ObjectReader& reader, std::string_view key, bool fallback) {
  const std::string text = reader.text_or(key, fallback ? "yes" : "no");
  if (text != "yes" && text != "no")
    reader.fail(key, "expected yes or no, found " + in_quotes(text));
  return text == "yes";
}

}  // namespace

std::map<std::string, CaseSetup> read_case_setups(const std::filesystem::path& path) {
  const nlohmann::json json = parse_json(read_text_file(path), path.string());
  ObjectReader root(json, path.string());
  read_format_header(root, "stepcast-case-sets");
  std::map<std::string, CaseSetup> setups;
  for (ObjectReader& set : root.objects("sets")) {
    const std::string name = set.text("set");
    setups[name] = {.cluster = set.text("cluster"),
                    .clusters = texts_of(set, "clusters"),
                    .usual = texts_of(set, "usual"),
                    .precisions = options_by_precision(set),
                    .always = texts_of(set, "always"),
                    .gated = flag_of(set, "gated", false),
                    .tied = flag_of(set, "tied", true)};
    set.texts_or_none("notes");
    set.finish();
  }
  root.finish();
  return setups;
}

std::map<std::string, CaseSetup> load_case_setups() {
  return read_case_setups(data_root() / "configs/cases/sets.json");
}

}  // namespace stepcast
