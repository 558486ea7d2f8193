#pragma once

#include <cstdint>
#include <map>

#include "sim/forecast/scheduled_job.hpp"
#include "sim/jobs/edits/editable_step.hpp"

namespace stepcast {

/// Plans of a schedule that were simulated, with the times of what they do, so that a search for
/// edits need not simulate again what it begins with.
class TimedPlans {
 public:
  /// The job must outlive this.
  explicit TimedPlans(const ScheduledJob& job) : job_(job) {}

  /// What a step takes; simulates a plan once.
  Seconds step_of(const Plan& plan);

  /// The plan's step, ready to be edited, with its times if it was simulated here. The plan, which
  /// repeats no steps (see unrolled()), must outlive it.
  EditableStep editable(const Plan& plan) const;

 private:
  const ScheduledJob& job_;
  std::map<std::uint64_t, TimedStep> timed_;  // By hash of the plan.
};

}  // namespace stepcast
