#pragma once

#include <cstdint>
#include <vector>

#include "models/schedule/plan.hpp"
#include "sim/engine/folding.hpp"

namespace stepcast {

using StepId = std::uint32_t;  ///< Index of a step of a program.

/// What the engine executes as one event: a communication, or consecutive compute tasks of a stream
/// between which nothing outside can happen.
struct ProgramStep {
  TaskId first = 0;
  TaskId last = 0;  ///< Tasks first..last that are on this stream, in plan order.
  StreamId stream = 0;
  GroupId group = 0;
  std::uint32_t collective = kNone;  ///< kNone: compute.
  Seconds duration{};                ///< Compute: sum over its tasks.

  bool is_communication() const { return collective != kNone; }
};

/// A plan made ready for execution on the classes of a folding: compute merged, successors indexed.
struct Program {
  std::vector<ProgramStep> steps;  ///< In plan order of their first tasks.
  std::vector<StepId> step_of_task;
  std::vector<std::vector<StepId>> of_stream;  ///< The steps of each stream, in order.
  /// Successors of step s in the same and in the next iteration: to[offset[s]] .. to[offset[s +
  /// 1]].
  struct Successors {
    std::vector<std::uint32_t> offset;
    std::vector<StepId> to;
  };
  /// Tasks of step s in order, and the work done in the step when each ends, at places
  /// first_task[s] .. first_task[s + 1].
  std::vector<std::uint32_t> first_task;
  std::vector<TaskId> tasks;
  std::vector<Seconds> work_at_end;
  Successors same;
  Successors next;
  /// Dependencies of (step, class), at step * classes + class: all, and those of the same iteration
  /// (the first iteration has no others).
  std::vector<std::uint16_t> waits_for;
  std::vector<std::uint16_t> waits_for_first;
  /// Whether a class belongs to a group: is_member[group * classes + class].
  std::vector<bool> is_member;
  std::uint32_t classes = 0;

  /// The task of a compute step that is under way when `done` of its work is done.
  TaskId task_at(StepId step, Seconds done) const;

  bool has(StepId step, ClassId rank_class) const {
    return is_member[steps[step].group * classes + rank_class];
  }
};

Program compile(const Plan& plan, const Folding& folding, bool merge_compute);

}  // namespace stepcast
