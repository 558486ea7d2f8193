#include "sim/report/fields/field.hpp"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "sim/report/text/clean.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the number, or the sum of times by name.
double number_in(const Json& value) {
  if (!value.is_object())
    return value.get<double>();
  double sum = 0;
  for (const Json& each : value)
    sum += each.get<double>();
  return sum;
}

std::string text_in(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

template <int digits>
std::string with_digits(const Json& value) {
  return fmt::format("{:.{}f}", value.get<double>(), digits);
}

std::string ms_in(const Json& value) {
  return milliseconds({number_in(value)});
}

/// What is known of a unit: its name, the schema of its values, how a column shows one, and what
/// follows it in a line.
struct UnitInfo {
  const char* name;
  std::string_view schema;
  std::string (*shown)(const Json&) = text_in;
  const char* suffix = "";
};

constexpr std::string_view kNumber = R"({"type": "number"})";
constexpr std::array kUnits = std::to_array<UnitInfo>({
    {"Name", R"({"type": "string", "minLength": 1})"},
    {"Text", R"({"type": "string"})"},
    {"Fidelity", R"({"enum": ["analytic", "flow", "step"]})"},
    {"Flag", R"({"type": "boolean"})"},
    {"True", R"({"const": true})"},
    {"Count", R"({"type": "integer"})"},
    {"Seconds", kNumber, ms_in, " ms"},
    {"Bytes", kNumber, [](const Json& value) { return format_bytes({value}); }},
    {"BytesPerSecond", kNumber, [](const Json& value) { return format_bandwidth({value}); }},
    {"Share", kNumber, [](const Json& value) { return percent(value); }},
    {"Ratio", kNumber, with_digits<3>},
    {"PerSecond", kNumber, with_digits<2>},
    {"SamplesPerSecond", kNumber, with_digits<1>, " samples/s"},
    {"Times", R"({"type": "object", "additionalProperties": {"type": "number", "minimum": 0}})",
     ms_in, " ms"},
    {"Options", R"({"type": "object", "additionalProperties": {"type": "string"}})"},
    {"Sentences", R"({"type": "array", "items": {"type": "string", "minLength": 1}})"},
    {"Shares", R"({"type": "array", "items": {"type": "number", "minimum": 0}})"},
    {"Interval", "null",
     [](const Json& value) {
       return fmt::format("{:.0f}-{:.0f}", value[0].get<double>() * 1e3,
                          value[1].get<double>() * 1e3);
     }},
    {"Source", R"({"$ref": "#/definitions/provenance"})"},
    {"Object", R"({"type": "object", "additionalProperties": false, "required": [],
                   "properties": {}})"},
    {"Rows", R"({"type": "array"})"},
});

const UnitInfo& info_of(Unit unit) {
  return kUnits.at(static_cast<std::size_t>(unit));
}

}  // namespace

std::string line_of(Unit unit, const Json& value) {
  if (value.is_null())
    return "";
  if (unit == Unit::Interval)
    return fmt::format("{} to {} ms", milliseconds({value[0]}), milliseconds({value[1]}));
  return info_of(unit).shown(value) + info_of(unit).suffix;
}

std::string cell_of(Unit unit, const Json& value) {
  return value.is_null() ? "-" : info_of(unit).shown(value);
}

std::string csv_of(Unit unit, const Json& value) {
  if (value.is_null())
    return "";
  return value.is_number_float() || unit == Unit::Times ? csv_number(number_in(value))
                                                        : text_in(value);
}

const char* name_of(Unit unit) {
  return info_of(unit).name;
}

Json& holder_of(Json& json, std::string_view& key,
                const std::function<Json&(Json&, const std::string&)>& enter) {
  Json* holder = &json;
  for (std::size_t dot; (dot = key.find('.')) != std::string_view::npos; key.remove_prefix(dot + 1))
    holder = &enter(*holder, std::string(key.substr(0, dot)));
  return *holder;
}

Json schema_of(Unit unit, unsigned rules) {
  Json schema = Json::parse(info_of(unit).schema);
  if (unit == Unit::Count)
    schema["minimum"] = (rules & kFromZero) != 0 ? 0 : 1;
  else if (info_of(unit).schema == kNumber && (rules & kSigned) == 0)
    schema[(rules & kPositive) != 0 ? "exclusiveMinimum" : "minimum"] = 0;
  else if (unit == Unit::Rows && (rules & kOptional) != 0)
    schema["minItems"] = 1;  // absent rather than empty
  return schema;
}

Column column_of(Unit unit, const char* heading) {
  return {heading, unit == Unit::Name ? Align::Left : Align::Right};
}

}  // namespace stepcast
