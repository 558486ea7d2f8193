#pragma once

#include <string>

#include "sim/jobs/diagnose/diagnosis.hpp"

namespace stepcast {

/// A heat map, stages by data-parallel groups, of the slow-down with only that rank as recorded, as
/// an SVG document. Of several ranks at one place (tensor parallelism) the slowest is shown.
std::string diagnosis_svg(const Diagnosis& diagnosis);

}  // namespace stepcast
