#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/engine/program.hpp"
#include "sim/timeline/timeline.hpp"

namespace stepcast {

/// When a step ran: compute on a class, a communication in a meeting, for all its members.
struct StepRun {
  Seconds start{-1};
  Seconds end{-1};  ///< < 0: it has not finished.
};

/// When steps between two borders ran first and last, so far.
struct Stretch {
  Seconds first_start{-1};
  Seconds last_end{-1};
};

/// What the steps of an iteration still wait for: needed as long as it is under way.
struct Awaited {
  std::vector<std::uint32_t> dependencies;  ///< Unmet, by place.
  std::vector<std::uint32_t> members;       ///< Classes not ready, by Program::first_meeting.
  std::vector<std::uint32_t> silent;        ///< That have not announced; empty as announced.
};

/// At `time`, `done` of the compute at one place was done. Recorded where its speed changed.
struct Breakpoint {
  std::size_t place = 0;
  Seconds time{};
  Seconds done{};
};

inline constexpr Seconds kNotBegun{-1};

/// The state of one iteration of the program. Of those that are over a simulation keeps several, so
/// that only what differs between classes is kept for each.
struct Iteration {
  std::uint32_t number = 0;
  Awaited awaited;                      ///< Empty once it has finished.
  std::vector<StepRun> runs;            ///< From ProgramStep::first_run on.
  std::vector<Seconds> ready;           ///< Members of communications; < 0: not yet.
  std::vector<Stretch> stretches;       ///< By ProgramStep::stretch.
  std::vector<Breakpoint> breakpoints;  ///< In order of time.
  std::size_t left = 0;                 ///< Places that have not finished.
  Seconds begin = kNotBegun;            ///< Start of the first compute step of the clock.

  bool begun() const { return begin >= Seconds{}; }
  bool finished() const { return left == 0; }
};

/// One that is known from `now` on.
std::unique_ptr<Iteration> new_iteration(const Program& program, const Folding& folding,
                                         std::uint32_t number, Seconds now);

/// It has finished: what it waited for is needed no more.
void forget_awaited(Iteration& iteration);

/// Keeps the memory of an iteration that is over for those to come, of this thread's next
/// simulations too: with many classes a fifth of the time goes into asking for it again.
void recycle(std::unique_ptr<Iteration> iteration);

/// Precondition: the class is a member of the step's team.
inline const StepRun& run_of(const Iteration& iteration, const Program& program,
                             const Folding& folding, StepId id, ClassId rank_class) {
  const ProgramStep& step = program.steps[id];
  return iteration
      .runs[step.first_run + (step.is_communication() ? folding.meeting(step.team, rank_class) -
                                                            folding.first_meeting[step.team]
                                                      : program.member(id, rank_class))];
}

/// Whether everything happened in `b` as in `a`, counted from the begin of each, within
/// `tolerance`.
bool same_course(const Iteration& a, const Iteration& b, Seconds tolerance);

/// Places of the tasks of a plan.
Places task_places(const Plan& plan, const Folding& folding);

/// Intervals of every task from those of the steps: merged compute is taken apart again.
std::vector<Interval> task_intervals(const Plan& plan, const Program& program,
                                     const Folding& folding, const Iteration& iteration,
                                     const Places& places);

}  // namespace stepcast
