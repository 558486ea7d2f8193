#pragma once

#include <string>
#include <string_view>

#include "models/base/provenance.hpp"

namespace stepcast {

/// '{' or '[' if a text begins as a JSON object, or as a list of objects or texts; else 0. Logs
/// begin with "[" as well: with a date, a rank or a level.
char json_start(std::string_view text);

/// A JSON string with its quotes; bytes that are not UTF-8 are replaced.
std::string json_string(std::string_view text);

/// A JSON number: whole numbers exactly, others with 9 significant digits.
std::string json_number(double value);

/// The object of provenance_json(), indented as a member of the root.
std::string indented_provenance(const Provenance& provenance);

}  // namespace stepcast
