#pragma once

#include <vector>

#include "models/schedule/period.hpp"
#include "sim/timeline/timeline.hpp"

namespace stepcast {

/// A stretch of the reported iteration that stands for several in a row: the time of RepeatedSteps.
struct RecordedStretch {
  Seconds begin{};   ///< From the begin of the iteration.
  Seconds length{};  ///< As it was recorded.
  Seconds whole{};   ///< With all that stretches within it stand for.
  RepeatedSteps steps;
};

/// As repeats_of() orders them. O(tasks x classes) of the repeated steps.
std::vector<RecordedStretch> stretches_of(const Plan& plan, const Timeline& timeline);

/// How long the reported iteration is in the timeline's intervals: its iteration_time but for the
/// steps that were jumped over.
Seconds recorded_time(const Plan& plan, const Timeline& timeline);

}  // namespace stepcast
