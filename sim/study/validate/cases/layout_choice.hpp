#pragma once

#include <string>
#include <vector>

#include "sim/study/validate/cases/cases.hpp"

namespace stepcast {

/// Measured layouts of one job: what choosing by forecasts would have come to.
struct LayoutSweep {
  std::string set;
  std::string model;
  std::uint32_t gpus = 1;
  std::uint32_t global_batch = 1;
  std::size_t layouts = 0;
  double lost = 0;  ///< Of the one forecast as fastest: measured time over the least, less 1.
  double tau = 0;   ///< Kendall's tau-b between forecasts and measurements.
};

/// Jobs with at least `least` layouts, rows that agree in set, shape, GPUs and batch of a step, in
/// the order of their first rows. A layout that was measured several times took their mean.
std::vector<LayoutSweep> layout_sweeps(const std::vector<PredictedCase>& cases,
                                       std::size_t least = 4);

/// The sweeps of a set.
struct SetChoice {
  std::string set;
  std::size_t sweeps = 0;
  std::size_t near_best = 0;  ///< Those that lose 1 % at most.
  double worst = 0;           ///< The most that one loses.
  double tau = 0;             ///< Median of the sweeps.
};
std::vector<SetChoice> choices_of(const std::vector<LayoutSweep>& sweeps);

}  // namespace stepcast
