#pragma once

#include <string>
#include <vector>

#include "sim/forecast/forecast.hpp"

namespace stepcast {

/// A forecast as JSON text, indented, numbers in full precision, units in the keys.
std::string to_json(const Forecast& forecast);

/// {"results": [...]}: the forecasts, each with its speedup over the first.
std::string compare_json(const std::vector<Forecast>& forecasts);

/// Every key that the two write, each once; names of kinds, options and the like, which are keys of
/// inner objects, left out.
std::vector<std::string> json_keys();

}  // namespace stepcast
