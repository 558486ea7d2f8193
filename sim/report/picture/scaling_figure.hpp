#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/study/sweep/scaling.hpp"

namespace stepcast {

/// What is drawn of a scaling study.
struct ScalingFigure {
  std::string workload;
  std::vector<ScalingSize> sizes;
  std::vector<ScalingCurve> curves;  ///< Cluster by cluster, the same schedules on each.
  std::size_t left_out = 0;          ///< Curves that are not drawn.
};

/// With every curve that no signal cut short.
ScalingFigure figure_of(const Scaling& scaling);

/// Leaves out all but eight curves, which can still be told from each other: of the schedules with
/// the shortest step in the last size, summed over the clusters.
void keep_fastest(ScalingFigure& figure);

/// Each once, in their order.
std::vector<std::string> schedules_of(const std::vector<ScalingCurve>& curves);

/// "8 of 12 curves, of the schedules that are fastest on 64 GPUs"
std::string which_curves(const ScalingFigure& figure);

std::string svg_of(const ScalingFigure& figure);

}  // namespace stepcast
