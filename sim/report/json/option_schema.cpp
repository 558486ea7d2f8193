#include "sim/report/json/option_schema.hpp"

#include <nlohmann/json.hpp>

#include "models/schedule/list/presets.hpp"
#include "models/schedule/list/registry.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::ordered_json;

const char* pattern_of(OptionKind kind) {
  switch (kind) {
    case OptionKind::Choice:
    case OptionKind::Text:
      return "";
    case OptionKind::Size:
      return "^[0-9.]+(e[+-]?[0-9]+)?(B|kB|MB|GB|TB|KiB|MiB|GiB|TiB)$";
    case OptionKind::Time:
      return "^[0-9.]+(e[+-]?[0-9]+)?(ns|us|ms|s|m|h)$";
    case OptionKind::Count:
      return "^[0-9]+$";
    case OptionKind::Number:
      return "^[+-]?[0-9.]+(e[+-]?[0-9]+)?$";
    case OptionKind::Series:
      return "^[0-9.]+(e[+-]?[0-9]+)?(:[0-9.]+(e[+-]?[0-9]+)?)*$";
  }
  return "";
}

Json schema_of(const OptionInfo& option) {
  Json json{{"type", "string"}, {"description", option.meaning}, {"default", option.default_value}};
  const Json number{{"pattern", pattern_of(option.kind)}};
  if (option.kind == OptionKind::Choice)
    json["enum"] = option.words;
  else if (option.kind != OptionKind::Text && option.words.empty())
    json.update(number);
  else if (option.kind != OptionKind::Text)
    json["anyOf"] = {Json{{"enum", option.words}}, number};
  return json;
}

Json schema_of(const ScheduleInfo& schedule) {
  Json options = Json::object();
  for (const OptionInfo& option : schedule.options)
    options[option.name] = schema_of(option);
  return {{"type", "object"},
          {"description", schedule.summary},
          {"additionalProperties", false},
          {"properties", std::move(options)}};
}

}  // namespace

std::string option_schema() {
  Json schedules = Json::object();
  for (const auto* known : {&all_schedules(), &preset_schedules()})
    for (const ScheduleInfo& schedule : *known)
      schedules[schedule.name] = schema_of(schedule);
  const Json schema{
      {"$schema", "http://json-schema.org/draft-07/schema#"},
      {"title", "StepCast options of schedules"},
      {"description", "What --set and the \"set\" of an experiment take for each schedule."},
      {"type", "object"},
      {"additionalProperties", false},
      {"properties", std::move(schedules)}};
  return schema.dump(2) + "\n";
}

}  // namespace stepcast
