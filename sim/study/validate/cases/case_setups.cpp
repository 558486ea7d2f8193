#include "sim/study/validate/cases/case_setups.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/text.hpp"
#include "traces/catalog.hpp"
#include "traces/json/strict_json.hpp"

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

std::map<std::string, ScheduleOptions> options_by_device(ObjectReader& reader) {
  std::map<std::string, ScheduleOptions> options;
  if (!reader.has("devices"))
    return options;
  ObjectReader devices = reader.object("devices");
  for (const std::string& device : list_names(CatalogKind::Device))
    if (devices.has(device))
      options[device] = texts_of(devices, device);
  devices.finish();
  return options;
}

std::optional<bool> flag_of(ObjectReader& reader, std::string_view key, std::string_view yes,
                            std::string_view no) {
  const std::string text = reader.text_or(key, "");
  if (text.empty())
    return std::nullopt;
  if (text != yes && text != no)
    reader.fail(key, fmt::format("expected {} or {}, found {}", yes, no, in_quotes(text)));
  return text == yes;
}

StatedForm form_in(ObjectReader& reader) {
  return {.gated = flag_of(reader, "gated", "yes", "no"),
          .tied = flag_of(reader, "tied", "yes", "no"),
          .learned_positions = flag_of(reader, "positions", "learned", "rotary")};
}

CaseSetup setup_in(ObjectReader& set) {
  CaseSetup setup{.cluster = set.text("cluster"),
                  .clusters = texts_of(set, "clusters"),
                  .usual = texts_of(set, "usual"),
                  .precisions = options_by_precision(set),
                  .devices = options_by_device(set),
                  .always = texts_of(set, "always"),
                  .form = form_in(set)};
  set.texts_or_none("notes");
  set.finish();
  return setup;
}

PublishedModel model_in(ObjectReader& model) {
  const auto size = [&](std::string_view key) {
    return static_cast<std::uint32_t>(model.count(key, 1));
  };
  PublishedModel published{.model = model.text("model"),
                           .hidden = size("hidden"),
                           .ffn = size("ffn"),
                           .form = form_in(model)};
  model.text("source");
  model.finish();
  return published;
}

}  // namespace

CaseSetups read_case_setups(const std::filesystem::path& path) {
  const nlohmann::json json = parse_json(read_text_file(path), path.string());
  ObjectReader root(json, path.string());
  read_format_header(root, "stepcast-case-sets");
  CaseSetups setups;
  for (ObjectReader& set : root.objects("sets")) {
    const std::string name = set.text("set");
    setups.sets[name] = setup_in(set);
  }
  for (ObjectReader& model : root.objects("models"))
    setups.models.push_back(model_in(model));
  root.finish();
  return setups;
}

CaseSetups load_case_setups() {
  return read_case_setups(data_root() / "configs/cases/sets.json");
}

}  // namespace stepcast
