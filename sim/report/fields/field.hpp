#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sim/report/text/table.hpp"

namespace stepcast {

/// What a field holds, in which unit. Decides how the field is written and what its schema allows.
enum class Unit {
  Name,  ///< A text that is never empty.
  Text,
  Fidelity,
  Flag,
  True,  ///< Left out where it does not hold.
  Count,
  Seconds,
  Time,  ///< Seconds that tables show with a unit of their own.
  Bytes,
  BytesPerSecond,
  Share,  ///< Of 1; tables show per cent.
  Ratio,
  Slowdown,         ///< A ratio near 1.
  PartsPerMillion,  ///< A ratio that columns show in millionths.
  PerSecond,
  SamplesPerSecond,
  Times,    ///< Seconds by name; a column shows their sum.
  Options,  ///< Texts by name.
  Sentences,
  Shares,
  Interval,  ///< [low, high] in seconds of KEY_low_s and KEY_high_s. Tables only.
  Source,    ///< A Provenance.
  Object,    ///< Holds the fields whose keys begin with its own and a dot.
  Rows,      ///< A list of objects with a table of their own.
};

/// What else is to be known of a field.
enum Rule : unsigned {
  kOptional = 1,    ///< JSON leaves it out where its value is null.
  kPositive = 2,    ///< Never 0.
  kFromZero = 4,    ///< A count that may be 0.
  kSigned = 8,      ///< May be below 0.
  kNoJson = 16,     ///< Tables and CSV only.
  kDrawn = 32,      ///< A column only where there is chance,
  kNotDrawn = 64,   ///< or only where there is none: it makes room.
  kStages = 128,    ///< A column only where there is a pipeline.
  kNull = 256,      ///< JSON writes null where the value is not known.
  kIfAny = 512,     ///< A column only where it is neither 0 nor empty in some row,
  kIfKnown = 1024,  ///< or where it is known of some row.
  kPage = 2048,     ///< A column of the page only.
};

/// One field of a result. JSON and its schema, CSV, tables, glossary, page and Python read it here.
template <class Of>
struct Field {
  const char* key;  ///< In JSON; "memory.total_bytes" is a field of "memory".
  Unit unit;
  nlohmann::ordered_json (*value)(const Of&);  ///< Null: not known, or it means nothing here.
  const char* meaning = "";  ///< A sentence for schema and `explain`; empty: the glossary has it.
  const char* label = "";    ///< Before the value in a report; empty: there is no such line.
  const char* heading = "";  ///< Above a column; empty: there is no such column.
  unsigned rules = 0;
  /// How a column shows a value that is known; null: as its unit has it.
  std::string (*shown)(const nlohmann::ordered_json&) = nullptr;

  bool is(Rule rule) const { return (rules & rule) != 0; }
};

/// Returns a value with its unit, as in "iteration time  274.36 ms"; empty where it is null.
std::string line_of(Unit unit, const nlohmann::ordered_json& value);
/// Returns the value for a column, whose heading names the unit; "-" where it is null. `shown`
/// takes the place of the unit's way; times in ms have so many decimals.
std::string cell_of(Unit unit, const nlohmann::ordered_json& value,
                    std::string (*shown)(const nlohmann::ordered_json&) = nullptr,
                    int decimals = 2);
/// Returns the value with all digits for CSV; empty where it is null.
std::string csv_of(Unit unit, const nlohmann::ordered_json& value);

/// "Seconds": what the page knows the unit by.
const char* name_of(Unit unit);

/// Returns the object inside `json` that holds the field of a dotted key. `key` becomes the last
/// part of itself. `enter(outer, name)` returns the object of that name inside another.
nlohmann::ordered_json& holder_of(
    nlohmann::ordered_json& json, std::string_view& key,
    const std::function<nlohmann::ordered_json&(nlohmann::ordered_json&, const std::string&)>&
        enter);

/// The schema of a value without its meaning. That of an object has no property yet, that of rows
/// no items.
nlohmann::ordered_json schema_of(Unit unit, unsigned rules);

/// The heading of a field's column; names stand left.
Column column_of(Unit unit, const char* heading);

/// The fields of an array, as tables and JSON are made of them.
template <class Of, std::size_t size>
constexpr std::span<const Field<Of>> span_of(const std::array<Field<Of>, size>& fields) {
  return fields;
}

/// Returns whether the value, shown as `cell`, makes a column worth showing by the rules of its
/// field.
bool tells(const nlohmann::ordered_json& value, std::string_view cell, unsigned rules);

/// A table of the fields that have a heading and none of the rules `without`. Times in ms have so
/// many decimals.
template <class Of>
Table table_of(std::span<const Field<Of>> fields, const std::vector<Of>& objects,
               unsigned without = 0, int decimals = 2) {
  Table table;
  table.rows.resize(objects.size());
  for (const Field<Of>& field : fields) {
    if (*field.heading == '\0' || (field.rules & (without | kPage)) != 0)
      continue;
    std::vector<std::string> cells;
    bool is_shown = (field.rules & (kIfAny | kIfKnown)) == 0;
    for (const Of& object : objects) {
      const auto value = field.value(object);
      cells.push_back(cell_of(field.unit, value, field.shown, decimals));
      is_shown = is_shown || tells(value, cells.back(), field.rules);
    }
    if (!is_shown)
      continue;
    table.columns.push_back(column_of(field.unit, field.heading));
    for (std::size_t i = 0; i < objects.size(); ++i)
      table.rows[i].push_back(std::move(cells[i]));
  }
  return table;
}

/// Returns the number with so many decimals.
template <int decimals>
std::string with_decimals(const nlohmann::ordered_json& value);
/// Returns the number with four digits at most.
std::string with_digits(const nlohmann::ordered_json& value);

}  // namespace stepcast
