#pragma once
// How all reports write numbers.

#include <string>

#include "models/base/units.hpp"

namespace stepcast {

/// "283.21", for a column that says ms.
std::string milliseconds(Seconds time, int decimals = 2);

/// 0.8095 as "81.0 %".
std::string percent(double share);

}  // namespace stepcast
