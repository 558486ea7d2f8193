#pragma once

#include <string>

#include "sim/study/goodput/goodput.hpp"

namespace stepcast {

/// The efficiency of each part of a run, as P5, P50 and P95 over seeds, as an SVG document.
/// Precondition: the goodput has bins.
std::string goodput_svg(const Goodput& goodput);

}  // namespace stepcast
