#include "sim/jobs/replay.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "models/base/statistics.hpp"
#include "sim/engine/engine.hpp"
#include "sim/forecast/network_notes.hpp"

namespace stepcast {
namespace {

Seconds magnitude(Seconds time) {
  return std::max(time, Seconds{} - time);
}

/// The stream of the device that computes most; 0, the host's, if none does.
StreamId main_stream(const RecordedStep& joined) {
  std::vector<Seconds> busy(joined.streams.size());
  for (const RecordedTask& task : joined.tasks)
    if (task.kind == RecordedKind::Kernel || task.kind == RecordedKind::Copy)
      busy[task.stream] += task.duration;
  return static_cast<StreamId>(std::ranges::max_element(busy) - busy.begin());
}

/// Of each step the task that it ends with: the last one on the main stream, or of any if it has
/// none there.
std::vector<TaskId> last_tasks(const ReplayPlan& replay) {
  const StreamId main = main_stream(replay.joined);
  std::vector<TaskId> last;
  for (std::size_t i = 0; i < replay.begin.size(); ++i) {
    const TaskId end = i + 1 < replay.begin.size()
                           ? replay.begin[i + 1]
                           : static_cast<TaskId>(replay.joined.tasks.size());
    TaskId found = end - 1;
    for (TaskId task = replay.begin[i]; task < end; ++task)
      if (const RecordedTask& recorded = replay.joined.tasks[task];
          recorded.stream == main && recorded.kind != RecordedKind::Delay &&
          recorded.kind != RecordedKind::Collective)
        found = task;
    last.push_back(found);
  }
  return last;
}

/// When each step ended, and before them the last one of the round before.
std::vector<Seconds> step_ends(const ReplayPlan& replay, const Timeline& timeline) {
  const std::vector<TaskId> last = last_tasks(replay);
  std::vector<Seconds> ends{timeline.at(0, last.back(), 0).end};
  for (const TaskId task : last)
    ends.push_back(timeline.at(1, task, 0).end);
  return ends;
}

/// Median distance between the simulated and the recorded start of device work, counted from the
/// end of the step before; of whole steps. Precondition: the plan's tasks are those of the steps,
/// in order.
Seconds start_deviation(const std::vector<RecordedStep>& steps, const std::vector<Seconds>& ends,
                        const Timeline& timeline) {
  std::vector<Seconds> deviations;
  TaskId task = 0;
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (const RecordedTask& work : steps[i].tasks) {
      if (is_of_device(work.kind) && steps[i].whole)
        deviations.push_back(
            magnitude((timeline.at(1, task, 0).start - ends[i]) - (work.start - steps[i].begin)));
      ++task;
    }
  if (deviations.empty())
    return {};
  constexpr double kNanosecond = 1e-9;  // Below that lie the rounding errors of sums.
  return std::round(median_of(std::move(deviations)) / Seconds{kNanosecond}) * Seconds{kNanosecond};
}

/// Mean of the whole steps that did not stall, or of all steps if there is none of these.
Seconds mean_of(const std::vector<Seconds>& times, const std::vector<RecordedStep>& steps) {
  const auto counts = [](const RecordedStep& step) { return step.whole && !step.stalled; };
  const bool any = std::ranges::any_of(steps, counts);
  Seconds sum{};
  double count = 0;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (counts(steps[i]) || !any) {
      sum += times[i];
      ++count;
    }
  return sum / count;
}

/// How long a step takes by itself without its host, from its first work on the device to its last.
Seconds time_without_host(const RecordedStep& step, const Cluster& cluster, const WhatIf& change) {
  const ReplayPlan replayed = replay_plan({within_its_ends(step)}, cluster, change);
  const Timeline timeline = simulate(replayed.plan, cluster, {.iterations = 1});
  Seconds end = timeline.begin;
  for (const Interval& interval : timeline.intervals[1])
    end = std::max(end, interval.end);
  return end - timeline.begin;
}

}  // namespace

ReplayedTimes replay(const std::vector<RecordedStep>& steps, const Cluster& cluster,
                     const WhatIf& change) {
  const ReplayPlan replayed = replay_plan(steps, cluster, change);
  const Timeline timeline = simulate(replayed.plan, cluster, {});
  ReplayedTimes times;
  times.notes = caveats_of(cluster);
  std::ranges::move(curve_notes(replayed.plan, cluster, Fidelity::Flow),
                    std::back_inserter(times.notes));
  const std::vector<Seconds> ends = step_ends(replayed, timeline);
  for (std::size_t i = 0; i < steps.size(); ++i)
    times.steps.push_back(ends[i + 1] - ends[i]);
  times.mean = mean_of(times.steps, steps);
  if (!change.buckets)
    times.start_deviation = start_deviation(steps, ends, timeline);
  return times;
}

Cycles find_cycles(const std::vector<RecordedStep>& steps, const Cluster& cluster, WhatIf change) {
  constexpr double kInfinitely = 1e9;
  const auto without_host = [&](const WhatIf& fast) {
    std::vector<Seconds> times;
    for (const RecordedStep& step : steps)
      times.push_back(time_without_host(step, cluster, fast));
    return mean_of(times, steps);
  };
  Cycles cycles;
  WhatIf host = change;
  host.device_speed = kInfinitely;
  host.without = all_collective_kinds();
  cycles.host = replay(steps, cluster, host).mean;
  change.without_host = true;
  cycles.device = without_host(change);
  change.without = all_collective_kinds();
  cycles.computation = without_host(change);
  return cycles;
}

}  // namespace stepcast
