#pragma once

#include <string>

#include "sim/study/calibration.hpp"

namespace stepcast {

/// Tables: errors of each curve, the fits, what was left out and why, links.
std::string render_calibration(const Calibration& calibration);

/// {"summed_from_bytes", "curves": [...], "summary": [...], "fits": [...], "links": [...]}; every
/// point with its use and what the other rank counts predict of it.
std::string calibration_json(const Calibration& calibration);

}  // namespace stepcast
