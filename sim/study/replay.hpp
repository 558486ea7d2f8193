#pragma once

#include <string>
#include <vector>

#include "traces/replay/replay_plan.hpp"

namespace stepcast {

struct ReplayedTimes {
  std::vector<Seconds> steps;  ///< A step lasts until the training thread begins the next one.
  Seconds sustained{};         ///< Mean step, and no less than what a stream has to do in one.
  Seconds host{};              ///< Mean: the host's threads are busy in a step.
  Seconds busiest{};           ///< Mean: the busiest stream of the device is busy in a step.
  Seconds start_deviation{};   ///< See ReplayedTrace; 0 if the steps' tasks were changed.
  std::vector<std::string> notes{};  ///< What predicted collectives took beyond what was measured.
};

/// Simulates the recorded steps one after the other, again and again, and reports one round of the
/// steady state. A host that waits for nothing runs ahead of the device; no memory holds that for
/// long, which `sustained` takes into account and `steps` do not. Errors as of replay_plan() and
/// simulate().
ReplayedTimes replay(const std::vector<RecordedStep>& steps, const Cluster& cluster,
                     const WhatIf& change);

}  // namespace stepcast
