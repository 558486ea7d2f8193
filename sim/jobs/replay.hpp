#pragma once

#include <string>
#include <vector>

#include "traces/replay/replay_plan.hpp"

namespace stepcast {

/// What a step takes when everything else is infinitely fast: the largest of these bounds it.
struct Cycles {
  Seconds host{};  ///< The host's threads, with a device and collectives that cost nothing.
  /// The step without its host, see is_of_device(): from its first work on the device to its last.
  /// Each step is replayed by itself, as in JobReplay::without_host().
  Seconds device{};
  Seconds computation{};  ///< The same without collectives.
};

struct ReplayedTimes {
  std::vector<Seconds> steps;  ///< On the device: from the end of one step to that of the next.
  Seconds mean{};              ///< Of the whole steps that did not stall.
  Seconds start_deviation{};   ///< See ReplayedTrace; 0 if the steps' tasks were changed.
  Notes notes{};               ///< What predicted collectives took beyond what was measured.
};

/// Simulates the recorded steps one after the other, again and again, and reports the last round of
/// the steady state. A step ends on the device, with the last work of the stream that computes
/// most: a host that waits for nothing runs ahead, and its own pace then bounds nothing. Errors as
/// of replay_plan() and simulate().
ReplayedTimes replay(const std::vector<RecordedStep>& steps, const Cluster& cluster,
                     const WhatIf& change);

/// The cycles of the steps with a change.
Cycles find_cycles(const std::vector<RecordedStep>& steps, const Cluster& cluster, WhatIf change);

}  // namespace stepcast
