#include "sim/engine/iteration.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

namespace stepcast {
namespace {

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

std::vector<std::unique_ptr<Iteration>>& unused() {
  thread_local std::vector<std::unique_ptr<Iteration>> iterations;
  return iterations;
}

std::unique_ptr<Iteration> unused_iteration() {
  if (unused().empty())
    return std::make_unique<Iteration>();
  std::unique_ptr<Iteration> iteration = std::move(unused().back());
  unused().pop_back();
  return iteration;
}

}  // namespace

std::unique_ptr<Iteration> new_iteration(const Program& program, const Folding& folding,
                                         std::uint32_t number) {
  std::unique_ptr<Iteration> made = unused_iteration();
  Iteration& iteration = *made;
  iteration.number = number;
  iteration.waits = program.waits_in(number);
  iteration.intervals.assign(program.places.size(), kNotRun);
  iteration.breakpoints.clear();
  iteration.left = program.places.size();
  iteration.begin = kNotBegun;
  iteration.waiting_members.clear();
  iteration.waiting_members.reserve(program.first_meeting.back());
  for (const ProgramStep& step : program.steps)
    if (step.is_communication())
      for (MeetingId id = folding.first_meeting[step.team];
           id < folding.first_meeting[step.team + 1]; ++id)
        iteration.waiting_members.push_back(
            static_cast<std::uint32_t>(folding.meetings[id].members.size()));
  if (program.is_announced.empty())
    iteration.silent_members.clear();
  else
    iteration.silent_members = iteration.waiting_members;
  return made;
}

void recycle(std::unique_ptr<Iteration> iteration) {
  constexpr std::size_t kMost = 16;
  constexpr std::size_t kMostPlaces = std::size_t{1} << 17U;  // some 4 MB each
  if (iteration && iteration->intervals.size() <= kMostPlaces && unused().size() < kMost)
    unused().push_back(std::move(iteration));
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
  std::vector<Interval> intervals(places.size());
  std::vector<Seconds> done(program.steps.size());
  StepsInPlanOrder steps(program, plan.streams.size());
  const BreakpointsByPlace breakpoints(iteration.breakpoints, program.places.size());
  for (TaskId task = 0; task < plan.graph.size(); ++task) {
    const StepId step = steps.of(task, plan.graph.task(task).stream);
    const Seconds before = done[step];
    done[step] += plan.graph.task(task).duration;
    if (program.steps[step].first == program.steps[step].last) {  // both have the team's classes
      std::copy_n(iteration.intervals.begin() + program.places.first_of(step),
                  folding.members[program.steps[step].team].size(),
                  intervals.begin() + places.first_of(task));
      continue;
    }
    for (const ClassId id : folding.members[program.steps[step].team]) {
      const std::size_t place = program.places.at(step, id);
      const Interval& whole = iteration.intervals[place];
      Interval& part = intervals[places.at(task, id)];
      part = whole;
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
