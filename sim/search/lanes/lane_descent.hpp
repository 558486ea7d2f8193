#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "models/base/units.hpp"

namespace stepcast {

/// A way down in the search for communications to fuse and to cut.
enum class LaneDescent : std::uint8_t {
  AllCuts,    ///< In as many pieces at once as pay.
  Halves,     ///< What is cut is cut in two, again and again.
  RowsFirst,  ///< Begins with whole rows of communications as few, of the best of sizes.
};

/// Steps that were timed, by the edits behind the same begin.
using KnownSteps = std::map<std::string, Seconds>;

}  // namespace stepcast
