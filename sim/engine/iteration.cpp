#include "sim/engine/iteration.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace stepcast {
namespace {

constexpr Interval kNotRun{Seconds{-1}, Seconds{-1}, Seconds{-1}};

// The time at which a step had done `work`, between its start, its breakpoints and its end.
Seconds time_of(Seconds work, Seconds total, const Interval& step,
                std::span<const Breakpoint> breakpoints) {
  Seconds time = step.start;
  Seconds done{};
  for (const Breakpoint& next : breakpoints) {
    if (work <= next.done)
      return next.done > done ? time + (next.time - time) * ((work - done) / (next.done - done))
                              : next.time;
    time = next.time;
    done = next.done;
  }
  return total > done ? time + (step.end - time) * ((work - done) / (total - done)) : step.end;
}

// Breakpoints sorted by place; those of one place stay in order of time.
std::vector<Breakpoint> by_place(std::vector<Breakpoint> breakpoints) {
  std::ranges::stable_sort(breakpoints, {}, &Breakpoint::where);
  return breakpoints;
}

}  // namespace

Iteration new_iteration(const Program& program, const Folding& folding, std::uint32_t number) {
  const std::size_t places = program.steps.size() * program.classes;
  Iteration iteration{.number = number,
                      .waits = number == 0 ? program.waits_for_first : program.waits_for,
                      .waiting_members = std::vector<std::uint32_t>(program.steps.size()),
                      .intervals = std::vector<Interval>(places, kNotRun),
                      .breakpoints = {}};
  for (StepId step = 0; step < program.steps.size(); ++step) {
    const auto members = folding.members[program.steps[step].group].size();
    iteration.waiting_members[step] = static_cast<std::uint32_t>(members);
    iteration.left += members;
  }
  return iteration;
}

bool same_course(const Iteration& a, const Iteration& b, Seconds tolerance) {
  const auto differ = [&](Seconds in_a, Seconds in_b) {
    return std::abs(((in_a - a.begin) - (in_b - b.begin)).value) > tolerance.value;
  };
  for (std::size_t i = 0; i < a.intervals.size(); ++i) {
    const Interval& left = a.intervals[i];
    const Interval& right = b.intervals[i];
    if (left.end >= Seconds{} && (differ(left.start, right.start) || differ(left.end, right.end)))
      return false;
  }
  return true;
}

std::vector<Interval> task_intervals(const Plan& plan, const Program& program,
                                     const Folding& folding, const Iteration& iteration) {
  const std::uint32_t classes = program.classes;
  std::vector<Interval> intervals(plan.graph.size() * classes, kNotRun);
  std::vector<Seconds> done(program.steps.size());
  const auto breakpoints = by_place(iteration.breakpoints);
  for (TaskId task = 0; task < plan.graph.size(); ++task) {
    const StepId step = program.step_of_task[task];
    const Seconds before = done[step];
    done[step] += plan.graph.task(task).duration;
    for (const ClassId id : folding.members[program.steps[step].group]) {
      const std::size_t where = step * classes + id;
      const Interval& whole = iteration.intervals[where];
      Interval& part = intervals[task * classes + id];
      part = whole;
      if (program.steps[step].first == program.steps[step].last)
        continue;
      const auto low = std::ranges::lower_bound(breakpoints, where, {}, &Breakpoint::where);
      const auto high = std::ranges::upper_bound(breakpoints, where, {}, &Breakpoint::where);
      const double scale = folding.classes[id].compute_scale;
      const Seconds total = program.steps[step].duration * scale;
      part.start =
          before > Seconds{} ? time_of(before * scale, total, whole, {low, high}) : whole.start;
      part.end = task == program.steps[step].last
                     ? whole.end
                     : time_of(done[step] * scale, total, whole, {low, high});
      part.ready = part.start;
    }
  }
  return intervals;
}

}  // namespace stepcast
