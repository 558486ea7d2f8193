#pragma once

#include <string>
#include <vector>

#include "sim/forecast/forecast.hpp"

namespace stepcast {

/// A forecast of a comparison, as its row is called: "dear", or of a sweep "dear nodes=8".
struct NamedForecast {
  std::string name;
  Forecast forecast;
  double speedup = 1;  ///< In samples a second, over what the table compares it with.
};

/// Where the step of each goes, and its speed-up, as an SVG document; of more than 60 the 60 that
/// train most samples a second, which the title says.
std::string compare_figure(const std::vector<NamedForecast>& forecasts);

}  // namespace stepcast
