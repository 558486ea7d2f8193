#pragma once

#include <string>
#include <vector>

#include "traces/replay/replay_plan.hpp"

namespace stepcast {

struct ReplayedTimes {
  std::vector<Seconds> steps;  ///< A step lasts until the training thread begins the next one.
  Seconds start_deviation{};   ///< See ReplayResult; 0 if the steps' tasks were changed.
  std::vector<std::string> notes{};  ///< What predicted collectives took beyond what was measured.
};

/// Simulates the recorded steps one after the other, again and again, and reports one round of the
/// steady state. Errors as of replay_plan() and simulate().
ReplayedTimes replay(const std::vector<RecordedStep>& steps, const Cluster& cluster,
                     const WhatIf& change);

}  // namespace stepcast
