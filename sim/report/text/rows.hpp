#pragma once
// What a forecast says of time and memory as rows with names, which tables and pictures share.

#include <string>
#include <vector>

#include "sim/forecast/forecast.hpp"

namespace stepcast {

struct NamedBytes {
  std::string name;
  Bytes size{};
};

/// What a GPU's memory holds, its sum and, where it is known, how much there is; none of 0 bytes.
std::vector<NamedBytes> memory_rows(const Forecast& forecast);

/// All names that these rows can have, without those of phases and collectives.
std::vector<std::string> names_of_rows();

}  // namespace stepcast
