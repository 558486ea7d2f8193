#pragma once

#include <string>

#include "sim/study/sweep/scaling.hpp"

namespace stepcast {

/// A row for each curve, a column for each number of GPUs, and the notes.
std::string render_scaling(const Scaling& scaling);
std::string scaling_json(const Scaling& scaling);
/// Step time against GPUs, a line for each curve.
std::string scaling_svg(const Scaling& scaling);

}  // namespace stepcast
