#pragma once

#include <string>
#include <string_view>

#include "models/base/provenance.hpp"

namespace stepcast {

/// A JSON string with its quotes; bytes that are not UTF-8 are replaced.
std::string json_string(std::string_view text);

/// A JSON number: whole numbers exactly, others with 9 significant digits.
std::string json_number(double value);

/// The object of provenance_json(), indented as a member of the root.
std::string indented_provenance(const Provenance& provenance);

}  // namespace stepcast
