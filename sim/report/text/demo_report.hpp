#pragma once

#include <string>
#include <vector>

#include "sim/study/forecast.hpp"

namespace stepcast {

/// All schedules of one model on one network. The baselines and DeAR, in the order of the table.
struct DemoCase {
  std::string model;
  std::string network;  ///< "10gbe"
  std::vector<Forecast> forecasts;

  const Forecast& of(const std::string& schedule) const;  ///< Throws std::out_of_range.
  const Forecast& best_other() const;                     ///< The fastest that is not DeAR.
};

/// A row for each case: iteration times, and DeAR's speed-up over the best other and over Horovod.
std::string demo_table(const std::vector<DemoCase>& cases);

/// What the table says, in a few sentences computed from it: where DeAR gains most, where it loses
/// and why, what the faster network changes.
std::vector<std::string> demo_reading(const std::vector<DemoCase>& cases);

/// The case in which DeAR gains most over Horovod.
const DemoCase& greatest_gain(const std::vector<DemoCase>& cases);

}  // namespace stepcast
