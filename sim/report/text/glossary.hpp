#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepcast {

/// What a word of the reports means.
struct Term {
  std::string name;
  std::string also;        ///< Column headings and JSON keys that mean it, separated by ", ".
  std::string definition;  ///< One or two sentences with unit and formula.
};

/// Every term of configs/glossary.json, in alphabetical order.
std::span<const Term> all_terms();

/// The term of a name, a label of a report, a JSON key, a schedule or an option; case, "-" and "_"
/// do not matter. What the glossary does not have, schedules and the schemas of files describe.
/// Null if there is none.
const Term* find_term(std::string_view name);

/// Every column heading, row name and JSON key that a report prints.
std::vector<std::string> printed_columns();

}  // namespace stepcast
