#pragma once

#include <span>
#include <vector>

#include "traces/replay/recorded_step.hpp"

namespace stepcast {

/// Steps one after the other, as they were recorded: work that the host launched in one may run on
/// the device while the host is in the next.
struct JoinedSteps {
  RecordedStep all;
  std::vector<std::uint32_t> first;  ///< Of each step: its first task on the training thread.
};

/// Precondition: every step has a task on its stream 0, which is the training thread in all.
JoinedSteps join(std::span<const RecordedStep> steps);

}  // namespace stepcast
