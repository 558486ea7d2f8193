#pragma once

#include <string>
#include <vector>

#include "sim/forecast/forecast.hpp"

namespace stepcast {

/// A schedule of a demonstration, and what its authors call it.
struct DemoSchedule {
  std::string name;   ///< "dear"
  std::string title;  ///< "DeAR"
};

/// All schedules of one model on one network, in the order of the table.
struct DemoCase {
  std::string model;
  std::string network;  ///< "10gbe"
  std::vector<Forecast> forecasts;

  const Forecast& of(const DemoSchedule& schedule) const;  ///< Throws std::out_of_range.
};

/// What one schedule gains over others, and over one of them above all.
struct Demo {
  DemoSchedule shown;
  DemoSchedule reference;
  std::vector<DemoCase> cases;
};

/// A row for each case: iteration times, and the speed-up over the best other and the reference.
std::string demo_table(const Demo& demo);

/// What the table says, in a few sentences computed from it: where the schedule gains most, where
/// it loses and why, what the faster network changes.
std::vector<std::string> demo_reading(const Demo& demo);

/// The case in which it gains most over the reference.
const DemoCase& greatest_gain(const Demo& demo);

}  // namespace stepcast
