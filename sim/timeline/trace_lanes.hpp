#pragma once

#include <vector>

#include "models/schedule/plan.hpp"
#include "sim/timeline/timeline.hpp"

namespace stepcast {

/// A rectangle of the timeline: one task, or several communications that ran as one.
struct Slice {
  TaskId task = 0;          ///< The first of them.
  std::uint32_t count = 1;  ///< How many tasks.
  int iteration = 0;        ///< 0: the iteration before the reported one, 1: the reported one.
  StreamId stream = 0;
  std::uint32_t lane = 0;  ///< Slices of one lane of a stream never overlap.
  Seconds start{};
  Seconds end{};
};

/// The slices of one class of ranks in both iterations, by stream, then by start.
struct TraceLanes {
  std::vector<Slice> slices{};
  std::vector<std::uint32_t> lanes_of_stream{};  ///< At least 1 each.
  /// slice_of[k][task]: index of the task's slice, or kNone if the class is no member.
  std::vector<std::uint32_t> slice_of[2];
};

TraceLanes lanes_of(const Plan& plan, const Timeline& timeline, ClassId rank_class);

}  // namespace stepcast
