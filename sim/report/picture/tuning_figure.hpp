#pragma once

#include <string>

#include "sim/forecast/tuning/tune.hpp"

namespace stepcast {

/// The time of each trial over the option's value, with the best marked, as an SVG document.
std::string tuning_figure(const Tuning& tuning);

}  // namespace stepcast
