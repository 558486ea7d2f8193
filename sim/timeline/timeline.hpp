#pragma once

#include <cstdint>
#include <vector>

#include "models/base/units.hpp"
#include "models/graph/task.hpp"
#include "models/network/cluster.hpp"
#include "sim/timeline/engine_use.hpp"
#include "sim/timeline/places.hpp"

namespace stepcast {

/// Ranks with the same tasks, durations and position: one of them stands for all.
struct RankClass {
  Rank representative = 0;  ///< The lowest rank of the class.
  std::uint32_t count = 1;
  double compute_scale = 1;  ///< Straggler, jitter and slow-down factors of compute times.
};

/// What one task did on one class of ranks, in simulated time.
struct Interval {
  Seconds ready{};  ///< All its dependencies were met (and, compute: the stream was free).
  Seconds start{};  ///< Communication: every member was ready and the stream let it start.
  Seconds end{};
};

inline constexpr Interval kNotRun{Seconds{-1}, Seconds{-1}, Seconds{-1}};

/// Everything that happened in the steady iteration, and in the one before it.
///
/// The steady state may be a pattern of several iterations, as where the phases of a negotiated
/// stream's cycle take turns. Then the longest of them that takes no longer than their mean is
/// reported; its parts add up to its own time, and `mean_excess` is what the mean has beyond them.
///
/// Times count from the start of the first iteration. A task of iteration i may run after iteration
/// i+1 has begun (an all-gather that the next forward pass waits for), hence two iterations.
struct Timeline {
  std::vector<RankClass> classes;
  std::vector<ClassId> class_of_rank;
  std::uint32_t iterations = 0;    ///< Simulated in all.
  Seconds iteration_time{};        ///< Of the reported iteration.
  Seconds mean_excess{};           ///< How much longer iterations take on average; see below.
  Seconds worst_iteration_time{};  ///< The longest training step of all that the mean is of.
  bool steady = false;  ///< False: no pattern found; iteration_time is a mean, for the last.
  Seconds begin{};      ///< The window [begin, begin + iteration_time) is the reported one.

  EngineUse engine{};

  std::vector<Seconds> iteration_times;  ///< Of a run of so many iterations; else empty.

  /// Of the iteration before the reported one (k = 0), and of the reported one (k = 1), whose first
  /// compute task starts at `begin`; by places.
  std::vector<Interval> intervals[2];
  Places places;  ///< Of tasks.

  Seconds mean_iteration_time() const { return iteration_time + mean_excess; }

  /// Tasks of which the class is no member have end < 0.
  const Interval& at(int k, TaskId task, ClassId rank_class) const {
    const std::uint32_t place = places.find(task, rank_class);
    return place == kNone ? kNotRun : intervals[k][place];
  }
};

}  // namespace stepcast
