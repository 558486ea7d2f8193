#pragma once

#include <string>
#include <vector>

#include "sim/study/sweep/scaling.hpp"

namespace stepcast {

bool nodes_differ(const std::vector<ScalingSize>& sizes);

/// "8 GPUs"; "8 GPUs (2 x 4)" where nodes differ.
std::string label_of(const ScalingSize& size, const std::vector<ScalingSize>& all);

/// A row for each curve, a column for each size, and the notes.
std::string render_scaling(const Scaling& scaling);
std::string scaling_json(const Scaling& scaling);
std::string scaling_csv_head();
std::string scaling_csv_row(const ScalingPoint& point);

}  // namespace stepcast
