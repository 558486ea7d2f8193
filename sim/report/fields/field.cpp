#include "sim/report/fields/field.hpp"

#include <algorithm>
#include <array>
#include <functional>

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

std::string ms_in(const Json& value) {
  return milliseconds({number_in(value)});
}

std::string time_in(const Json& value) {
  return format_seconds({value.get<double>()});
}

/// "0: 61.2 %  1: 38.8 %", without shares below 1 %; of more than five the four largest.
std::string shares_in(const Json& value) {
  const std::vector<double> shares = value;
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (shares[i] >= 0.01)
      shown.push_back(i);
  const bool many = shown.size() > 5;
  if (many) {
    std::ranges::stable_sort(shown, std::greater{}, [&](std::size_t i) { return shares[i]; });
    shown.resize(4);
    std::ranges::sort(shown);
  }
  std::string text;
  double rest = 1;
  for (const std::size_t i : shown) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "  ", i, percent(shares[i]));
    rest -= shares[i];
  }
  return many ? fmt::format("{}  others: {}", text, percent(rest)) : text;
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
    {"Time", kNumber, time_in},
    {"Bytes", kNumber, [](const Json& value) { return format_bytes({value}); }},
    {"BytesPerSecond", kNumber, [](const Json& value) { return format_bandwidth({value}); }},
    {"Share", kNumber, [](const Json& value) { return percent(value); }},
    {"Ratio", kNumber, with_decimals<3>},
    {"Slowdown", kNumber, with_decimals<4>},
    {"PartsPerMillion", kNumber,
     [](const Json& value) { return fmt::format("{:.2f}", value.get<double>() * 1e6); }},
    {"PerSecond", kNumber, with_decimals<2>},
    {"SamplesPerSecond", kNumber, with_decimals<1>, " samples/s"},
    {"Times", R"({"type": "object", "additionalProperties": {"type": "number", "minimum": 0}})",
     ms_in, " ms"},
    {"Options", R"({"type": "object", "additionalProperties": {"type": "string"}})"},
    {"Sentences", R"({"type": "array", "items": {"type": "string", "minLength": 1}})"},
    {"Shares", R"({"type": "array", "items": {"type": "number", "minimum": 0}})", shares_in},
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

std::string cell_of(Unit unit, const Json& value, std::string (*shown)(const Json&), int decimals) {
  if (value.is_null())
    return "-";
  if (unit == Unit::Seconds && shown == nullptr)
    return milliseconds({value.get<double>()}, decimals);
  return (shown != nullptr ? shown : info_of(unit).shown)(value);
}

bool tells(const Json& value, std::string_view cell, unsigned rules) {
  if ((rules & kIfAny) != 0)
    return value.is_number() ? cell.find_first_of("123456789") != cell.npos : !value.empty();
  return (rules & kIfKnown) == 0 || !value.is_null();
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

template <int decimals>
std::string with_decimals(const Json& value) {
  return fmt::format("{:.{}f}", value.get<double>(), decimals);
}
template std::string with_decimals<0>(const Json&);
template std::string with_decimals<1>(const Json&);
template std::string with_decimals<3>(const Json&);

std::string with_digits(const Json& value) {
  return fmt::format("{:.4g}", value.get<double>());
}

Column column_of(Unit unit, const char* heading) {
  return {heading, unit == Unit::Name ? Align::Left : Align::Right};
}

}  // namespace stepcast
