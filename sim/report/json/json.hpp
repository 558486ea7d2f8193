#pragma once

#include <string>
#include <vector>

#include "sim/forecast/forecast.hpp"

namespace stepcast {

/// A forecast as JSON text, indented, numbers in full precision, units in the keys.
std::string to_json(const Forecast& forecast);

/// {"results": [...]}: the forecasts, each with its speedup over the first.
std::string compare_json(const std::vector<Forecast>& forecasts);

}  // namespace stepcast
