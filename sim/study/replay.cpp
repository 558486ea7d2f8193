#include "sim/study/replay.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "models/base/statistics.hpp"
#include "sim/engine/engine.hpp"
#include "sim/study/network_notes.hpp"

namespace stepcast {
namespace {

Seconds magnitude(Seconds time) {
  return std::max(time, Seconds{} - time);
}

/// Median distance between the simulated and the recorded start of device work within its step.
/// Precondition: the plan's tasks are those of the steps, in order.
Seconds start_deviation(const std::vector<RecordedStep>& steps, const ReplayPlan& replay,
                        const Timeline& timeline) {
  std::vector<Seconds> deviations;
  TaskId task = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const TaskId offset = task;
    const Seconds begin = timeline.at(1, replay.first[i], 0).start;
    const Seconds recorded = steps[i].tasks[replay.first[i] - offset].start;
    for (const RecordedTask& work : steps[i].tasks) {
      if (work.kind != RecordedKind::Host)
        deviations.push_back(
            magnitude((timeline.at(1, task, 0).start - begin) - (work.start - recorded)));
      ++task;
    }
  }
  if (deviations.empty())
    return {};
  constexpr double kNanosecond = 1e-9;  // Below that lie the rounding errors of sums.
  return std::round(median_of(std::move(deviations)) / Seconds{kNanosecond}) * Seconds{kNanosecond};
}

/// How long the host's threads together and the busiest stream of the device are busy in a step.
void add_busy_times(const ReplayPlan& replay, const Timeline& timeline, ReplayedTimes& times) {
  const auto count = static_cast<double>(times.steps.size());
  std::vector<Seconds> streams(replay.joined.streams.size());
  for (TaskId task = 0; task < replay.joined.tasks.size(); ++task) {
    const Interval& ran = timeline.at(1, task, 0);
    const RecordedTask& recorded = replay.joined.tasks[task];
    if (recorded.kind == RecordedKind::Host)
      times.host += (ran.end - ran.start) / count;
    else
      streams[recorded.stream] += (ran.end - ran.start) / count;
  }
  times.busiest = *std::ranges::max_element(streams);
}

Seconds mean_of(const std::vector<Seconds>& steps) {
  Seconds sum{};
  for (const Seconds step : steps)
    sum += step;
  return sum / static_cast<double>(steps.size());
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
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Seconds end = i + 1 < steps.size() ? timeline.at(1, replayed.first[i + 1], 0).start
                                             : timeline.begin + timeline.iteration_time;
    times.steps.push_back(end - timeline.at(1, replayed.first[i], 0).start);
  }
  add_busy_times(replayed, timeline, times);
  times.sustained = std::max(mean_of(times.steps), times.busiest);
  if (!change.buckets)
    times.start_deviation = start_deviation(steps, replayed, timeline);
  return times;
}

}  // namespace stepcast
