#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/program.hpp"
#include "sim/timeline/timeline.hpp"

namespace stepcast {

/// At `time`, `done` of the compute of one (step, class) was done. Recorded where its speed
/// changed.
struct Breakpoint {
  std::size_t where = 0;  ///< step * classes + class
  Seconds time{};
  Seconds done{};
};

/// The state of one iteration of the program. All vectors are indexed by step * classes + class,
/// but for waiting_members.
struct Iteration {
  std::uint32_t number = 0;
  std::vector<std::uint16_t> waits;            ///< Unmet dependencies.
  std::vector<std::uint32_t> waiting_members;  ///< Per communication step: classes not ready yet.
  std::vector<Interval> intervals;             ///< end < 0: not finished, or no member.
  std::vector<Breakpoint> breakpoints;         ///< In order of time.
  std::size_t left = 0;                        ///< (step, class) pairs that have not finished.
  Seconds begin{-1};                           ///< Start of the first compute step of class 0.

  bool begun() const { return begin >= Seconds{}; }
  bool finished() const { return left == 0; }
};

Iteration new_iteration(const Program& program, const Folding& folding, std::uint32_t number);

/// Whether everything happened in `b` as in `a`, counted from the begin of each, within
/// `tolerance`.
bool same_course(const Iteration& a, const Iteration& b, Seconds tolerance);

/// Intervals of every task from those of the steps: merged compute is taken apart again.
std::vector<Interval> task_intervals(const Plan& plan, const Program& program,
                                     const Folding& folding, const Iteration& iteration);

}  // namespace stepcast
