#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/engine/program.hpp"
#include "sim/timeline/timeline.hpp"

namespace stepcast {

/// At `time`, `done` of the compute at one place was done. Recorded where its speed changed.
struct Breakpoint {
  std::size_t place = 0;
  Seconds time{};
  Seconds done{};
};

inline constexpr Seconds kNotBegun{-1};

/// The state of one iteration of the program, by the places of its steps.
struct Iteration {
  std::uint32_t number = 0;
  std::vector<std::uint32_t> waits;            ///< Unmet dependencies.
  std::vector<std::uint32_t> waiting_members;  ///< Classes not ready, by Program::first_meeting.
  std::vector<std::uint32_t> silent_members;   ///< That have not announced; empty as announced.
  std::vector<Interval> intervals;             ///< end < 0: not finished.
  std::vector<Breakpoint> breakpoints;         ///< In order of time.
  std::size_t left = 0;                        ///< Places that have not finished.
  Seconds begin = kNotBegun;                   ///< Start of the first compute step of the clock.

  bool begun() const { return begin >= Seconds{}; }
  bool finished() const { return left == 0; }
};

std::unique_ptr<Iteration> new_iteration(const Program& program, const Folding& folding,
                                         std::uint32_t number);

/// Keeps the memory of an iteration that is over for those to come, of this thread's next
/// simulations too: with many classes a fifth of the time goes into asking for it again.
void recycle(std::unique_ptr<Iteration> iteration);

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
