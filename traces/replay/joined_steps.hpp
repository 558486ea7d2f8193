#pragma once

#include <span>
#include <vector>

#include "traces/replay/recorded_step.hpp"

namespace stepcast {

/// Steps one after the other, as they were recorded: work that the host launched in one may run on
/// the device while the host is in the next.
struct JoinedSteps {
  RecordedStep all;
  std::vector<std::uint32_t> begin;  ///< Of each step: its first task.
};

/// What waits for the steps before a step waits for their last task on the stream; what does so in
/// the first stays in RecordedStep::earlier: it waits for the round before. Precondition: stream 0
/// is the training thread in all steps.
JoinedSteps join(std::span<const RecordedStep> steps);

}  // namespace stepcast
