#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/units.hpp"

namespace stepcast {

/// A column of the table and a place on the axis.
struct ScalingSize {
  std::uint32_t nodes = 1;
  std::uint32_t gpus_per_node = 1;

  std::uint32_t gpus() const { return nodes * gpus_per_node; }
};

/// "8 GPUs"; "8 GPUs (2 x 4)" where nodes differ.
std::string label_of(const ScalingSize& size, const std::vector<ScalingSize>& all);

/// Step times of one schedule on one cluster, by size of the cluster.
struct ScalingCurve {
  std::string cluster;
  std::string schedule;
  std::vector<Seconds> steps;
};

/// What is drawn of a scaling study.
struct ScalingFigure {
  std::string workload;
  std::vector<ScalingSize> sizes;
  std::vector<ScalingCurve> curves;  ///< Cluster by cluster, the same schedules on each.
  std::size_t left_out = 0;          ///< Curves that are not drawn.
};

/// Leaves out all but eight curves, which can still be told from each other: of the schedules with
/// the shortest step in the last size, summed over the clusters.
void keep_fastest(ScalingFigure& figure);

/// Each once, in their order.
std::vector<std::string> schedules_of(const std::vector<ScalingCurve>& curves);

/// "8 of 12 curves, of the schedules that are fastest on 64 GPUs"
std::string which_curves(const ScalingFigure& figure);

std::string svg_of(const ScalingFigure& figure);

}  // namespace stepcast
