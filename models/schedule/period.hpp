#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/schedule/plan.hpp"

namespace stepcast {

/// One period of a schedule whose training steps differ: K-FAC that inverts every tenth step, a
/// threshold that is refreshed every 32nd. `kinds` are plans of one step each, with the same
/// streams and without edges into the next iteration; `order` lists which kind comes after which,
/// at least one. Streams run on from step to step in plan order, so a step starts its compute when
/// that of the step before has ended, and communication that nobody waited for may still run.
/// Rows of steps that come many times are written only three times: see RepeatedSteps. Throws
/// InputError if the period would have more than 2,000,000 tasks.
Plan period_of(std::span<const Plan> kinds, std::span<const std::uint32_t> order);

/// A row of training steps that comes `times` times and is in the plan once, as tasks first to end.
/// The plan lists them so often in `later_steps`, which otherwise ascend. The same row is written
/// once more right before and once right behind. The simulation runs what is written, sees that
/// this row takes the course of the one before it, and jumps over the rest. Rows may hold others.
struct RepeatedSteps {
  TaskId first = 0;
  TaskId end = 0;  ///< Behind the last.
  std::uint32_t times = 1;
  std::uint32_t rounds = 1;  ///< How often it comes so many times in an iteration.

  TaskId tasks() const { return end - first; }
  bool holds(TaskId id) const { return first <= id && id < end; }
  /// Rows that are left out of what is written.
  double left_out() const { return (times - 1.0) * rounds; }
};

/// By their last tasks; of a row and those in it, it comes last.
std::vector<RepeatedSteps> repeats_of(const Plan& plan);

/// Returns the plan with every step written as often as it comes. A plan that repeats no steps, if
/// it is moved here, is not copied.
Plan unrolled(Plan plan);

/// The same with up to `more` further rows written out before each repeated one.
Plan with_more_rows(const Plan& plan, std::uint32_t more);

/// For each task how often it runs in an iteration.
std::vector<std::uint32_t> times_of_tasks(const Plan& plan);

}  // namespace stepcast
