#include "sim/engine/iteration.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

namespace stepcast {
namespace {

// The time at which a step had done `work`, between its start, its breakpoints and its end.
Seconds time_of(Seconds work, Seconds total, const StepRun& step,
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

// Breakpoints by place; those of one place stay in order of time.
class BreakpointsByPlace {
 public:
  BreakpointsByPlace(std::span<const Breakpoint> breakpoints, std::size_t places)
      : first_(places + 1), sorted_(breakpoints.size()) {
    for (const Breakpoint& each : breakpoints)
      ++first_[each.place + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<std::uint32_t> next = first_;
    for (const Breakpoint& each : breakpoints)
      sorted_[next[each.place]++] = each;
  }
  std::span<const Breakpoint> at(std::size_t place) const {
    return std::span(sorted_).subspan(first_[place], first_[place + 1] - first_[place]);
  }

 private:
  std::vector<std::uint32_t> first_;  // by place, and one more
  std::vector<Breakpoint> sorted_;
};

/// Memory to use again, of this thread.
struct Unused {
  std::vector<std::unique_ptr<Iteration>> iterations;
  std::vector<Awaited> awaited;
  std::size_t bytes = 0;  // of both
};

Unused& unused() {
  thread_local Unused unused;
  return unused;
}

template <typename Item>
std::size_t bytes_of(const std::vector<Item>& items) {
  return items.capacity() * sizeof(Item);
}

std::size_t bytes_of(const Awaited& awaited) {
  return bytes_of(awaited.dependencies) + bytes_of(awaited.members) + bytes_of(awaited.silent);
}

std::size_t bytes_of(const std::unique_ptr<Iteration>& iteration) {
  return bytes_of(iteration->runs) + bytes_of(iteration->ready) + bytes_of(iteration->breakpoints);
}

template <typename Item>
void keep(std::vector<Item>& items, Item item) {
  constexpr std::size_t kMost = 16;
  constexpr std::size_t kMostBytes = std::size_t{4} << 20U;
  const std::size_t bytes = bytes_of(item);
  if (items.size() == kMost || unused().bytes + bytes > kMostBytes)
    return;
  unused().bytes += bytes;
  items.push_back(std::move(item));
}

template <typename Item>
Item taken(std::vector<Item>& items) {
  Item item = std::move(items.back());
  items.pop_back();
  unused().bytes -= bytes_of(item);
  return item;
}

Awaited all_awaited(const Program& program, const Folding& folding, std::uint32_t number) {
  Awaited awaited = unused().awaited.empty() ? Awaited{} : taken(unused().awaited);
  awaited.dependencies = program.waits_in(number);
  awaited.members = program.at_first_in(number).members;
  if (program.is_announced.empty())
    awaited.silent.clear();
  else
    awaited.silent = members_of_meetings(program, folding);
  return awaited;
}

// Of the classes of a step that is one task, in order.
void add_intervals(std::vector<Interval>& intervals, const ProgramStep& step,
                   const Folding& folding, const Iteration& iteration) {
  const std::vector<ClassId>& members = folding.members[step.team];
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    const bool meets = step.is_communication();
    const StepRun& run =
        iteration.runs[step.first_run + (meets ? folding.meeting(step.team, members[i]) -
                                                     folding.first_meeting[step.team]
                                               : i)];
    intervals.push_back({.ready = meets ? iteration.ready[step.first_ready + i] : run.start,
                         .start = run.start,
                         .end = run.end});
  }
}

}  // namespace

std::unique_ptr<Iteration> new_iteration(const Program& program, const Folding& folding,
                                         std::uint32_t number, Seconds now) {
  std::unique_ptr<Iteration> iteration =
      unused().iterations.empty() ? std::make_unique<Iteration>() : taken(unused().iterations);
  iteration->number = number;
  iteration->awaited = all_awaited(program, folding, number);
  iteration->runs.assign(program.runs, {});
  iteration->ready.assign(program.readies, Seconds{-1});
  for (const std::uint32_t ready : program.at_first_in(number).ready)
    iteration->ready[ready] = now;
  iteration->stretches.assign(program.stretches, {});
  iteration->breakpoints.clear();
  iteration->left = program.places.size();
  iteration->begin = kNotBegun;
  return iteration;
}

void forget_awaited(Iteration& iteration) {
  keep(unused().awaited, std::exchange(iteration.awaited, {}));
}

void recycle(std::unique_ptr<Iteration> iteration) {
  if (!iteration)
    return;
  forget_awaited(*iteration);
  keep(unused().iterations, std::move(iteration));
}

bool same_course(const Iteration& a, const Iteration& b, Seconds tolerance) {
  const auto differ = [&](Seconds in_a, Seconds in_b) {
    return std::abs(((in_a - a.begin) - (in_b - b.begin)).value) > tolerance.value;
  };
  for (std::size_t i = 0; i < a.runs.size(); ++i) {
    const StepRun& left = a.runs[i];
    const StepRun& right = b.runs[i];
    if (left.end >= Seconds{} && (differ(left.start, right.start) || differ(left.end, right.end)))
      return false;
  }
  return true;
}

Places task_places(const Plan& plan, const Folding& folding) {
  std::vector<TeamId> teams;
  teams.reserve(plan.graph.size());
  for (TaskId id = 0; id < plan.graph.size(); ++id)
    teams.push_back(plan.graph.task(id).team);
  return {std::move(teams), folding.index};
}

std::vector<Interval> task_intervals(const Plan& plan, const Program& program,
                                     const Folding& folding, const Iteration& iteration,
                                     const Places& places) {
  std::vector<Interval> intervals;  // by place, which come in order
  intervals.reserve(places.size());
  std::vector<Seconds> done(program.steps.size());
  StepsInPlanOrder steps(program, plan.streams.size());
  const BreakpointsByPlace breakpoints(iteration.breakpoints, program.places.size());
  for (TaskId task = 0; task < plan.graph.size(); ++task) {
    const StepId step = steps.of(task, plan.graph.task(task).stream);
    const Seconds before = done[step];
    done[step] += plan.graph.task(task).duration;
    if (program.steps[step].first == program.steps[step].last) {
      add_intervals(intervals, program.steps[step], folding, iteration);
      continue;
    }
    for (const ClassId id : folding.members[program.steps[step].team]) {
      const std::size_t place = program.places.at(step, id);
      const StepRun& whole = run_of(iteration, program, folding, step, id);
      Interval& part = intervals.emplace_back();
      const auto changes = breakpoints.at(place);
      const double scale = folding.classes[id].compute_scale;
      const Seconds total = program.steps[step].duration * scale;
      part.start =
          before > Seconds{} ? time_of(before * scale, total, whole, changes) : whole.start;
      part.end = task == program.steps[step].last
                     ? whole.end
                     : time_of(done[step] * scale, total, whole, changes);
      part.ready = part.start;
    }
  }
  return intervals;
}

}  // namespace stepcast
