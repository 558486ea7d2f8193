#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "models/schedule/plan.hpp"
#include "sim/engine/folding/folding.hpp"
#include "sim/timeline/places.hpp"

namespace stepcast {

using StepId = std::uint32_t;  ///< Index of a step of a program.

/// What the engine executes as one event: a communication, or consecutive compute tasks of a stream
/// between which nothing outside can happen.
struct ProgramStep {
  TaskId first = 0;
  TaskId last = 0;  ///< Tasks first..last that are on this stream, in plan order.
  StreamId stream = 0;
  TeamId team = 0;
  std::uint32_t collective = kNone;  ///< kNone: compute.
  bool on_host = false;              ///< Compute: see Task. Where compile() tells them apart.
  Seconds duration{};                ///< Compute: sum over its tasks.
  std::uint32_t first_run = 0;       ///< Of its runs, in Iteration::runs.
  std::uint32_t first_ready = 0;     ///< Communication: of its members, in Iteration::ready.
  std::uint32_t stretch = 0;         ///< See Program::stretches.

  bool is_communication() const { return collective != kNone; }
};

/// Successors of step s: to[offset[s]] .. to[offset[s + 1]]. `later`, where it is kept: so many
/// iterations on.
struct Successors {
  std::vector<std::uint32_t> offset;
  std::vector<StepId> to;
  std::vector<std::uint32_t> later;
};

/// The steps of every class on every stream, in order. Classes of the same teams share them.
class Rows {
 public:
  Rows() = default;
  Rows(const std::vector<ProgramStep>& steps, const Folding& folding, std::size_t streams);

  std::span<const StepId> of(ClassId rank_class, StreamId stream) const {
    const std::size_t row = row_of_class_[rank_class] * streams_ + stream;
    return std::span(steps_).subspan(first_[row], first_[row + 1] - first_[row]);
  }

 private:
  std::size_t streams_ = 0;
  std::vector<std::uint32_t> row_of_class_;
  std::vector<std::uint32_t> first_;  // by row * streams + stream, and one more
  std::vector<StepId> steps_;
};

/// What of its communications is ready as soon as an iteration is known: most members that only
/// receive wait for nothing.
struct AtFirst {
  std::vector<std::uint32_t> ready;    ///< Members that are, in Iteration::ready.
  std::vector<std::uint32_t> members;  ///< How many others there are, by Program::first_meeting.
  std::vector<std::pair<StepId, MeetingId>> meetings;  ///< Without any others.
};

/// A plan made ready for execution on the classes of a folding: compute merged, successors indexed.
struct Program {
  std::vector<ProgramStep> steps;  ///< In plan order of their first tasks.
  Rows rows;
  /// If asked for: tasks of step s in order, and the work done in the step when each ends, at
  /// places first_task[s] .. first_task[s + 1].
  std::vector<std::uint32_t> first_task;
  std::vector<TaskId> tasks;
  std::vector<Seconds> work_at_end;
  Successors same;
  Successors next;
  Successors announced;  ///< Communications that the end of a step announces; empty without any.
  std::vector<bool> is_announced;  ///< By step; empty without any.
  Places places;                   ///< Of steps.
  /// Dependencies at each place, by iteration: the first have none of iterations before them. The
  /// last entry holds for all further iterations.
  std::vector<std::vector<std::uint32_t>> waits_for;
  std::vector<AtFirst> at_first;  ///< By entry of waits_for.
  /// Meetings that a communication step has to start, at first_meeting[s] .. first_meeting[s + 1].
  std::vector<std::uint32_t> first_meeting;
  std::uint32_t runs = 0;     ///< One for each place of compute and each meeting.
  std::uint32_t readies = 0;  ///< One for each place of communication.
  /// Of steps between the borders of rows that repeat; one where none do.
  std::uint32_t stretches = 1;

  std::size_t kind_of(std::uint32_t iteration) const {
    return iteration < waits_for.size() ? iteration : waits_for.size() - 1;
  }
  const std::vector<std::uint32_t>& waits_in(std::uint32_t iteration) const {
    return waits_for[kind_of(iteration)];
  }
  const AtFirst& at_first_in(std::uint32_t iteration) const { return at_first[kind_of(iteration)]; }

  /// The task of a compute step that is under way when `done` of its work is done. Precondition:
  /// compiled with `finds_tasks`.
  TaskId task_at(StepId step, Seconds done) const;

  bool has(StepId step, ClassId rank_class) const { return places.has(step, rank_class); }

  /// Of a class among the members of the step's team. Precondition: has.
  std::uint32_t member(StepId step, ClassId rank_class) const {
    return places.at(step, rank_class) - places.first_of(step);
  }
};

/// The steps of tasks that are asked for in plan order: four bytes a task less than a list of them.
class StepsInPlanOrder {
 public:
  StepsInPlanOrder(const Program& program, std::size_t streams)
      : steps_(program.steps), last_(streams, kNone) {}

  StepId of(TaskId task, StreamId stream) {
    if (next_ < steps_.size() && steps_[next_].first == task)
      last_[stream] = next_++;
    return last_[stream];
  }

 private:
  std::span<const ProgramStep> steps_;
  std::vector<StepId> last_;  // by stream
  StepId next_ = 0;
};

struct CompileOptions {
  bool merge_compute = true;
  bool finds_tasks = true;  ///< Makes task_at() possible: twelve bytes a task.
  bool tells_host = false;  ///< No step holds work of the host and of the device.
};
Program compile(const Plan& plan, const Folding& folding, const CompileOptions& options);

/// Classes that have to meet, by Program::first_meeting.
std::vector<std::uint32_t> members_of_meetings(const Program& program, const Folding& folding);

}  // namespace stepcast
