#include "sim/engine/steps.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/schedule/period.hpp"
#include "sim/engine/log.hpp"
#include "sim/engine/repeats.hpp"
#include "sim/timeline/recorded_time.hpp"

namespace stepcast {

namespace {

// The start of the first task of the compute stream at or after `from`; `otherwise` if the class
// has none there.
Seconds compute_start(const Plan& plan, const Timeline& timeline, ClassId rank_class, TaskId from,
                      Seconds otherwise) {
  for (TaskId id = from; id < plan.graph.size(); ++id)
    if (const Interval& run = timeline.at(1, id, rank_class);
        plan.graph.task(id).stream == 0 && run.end >= Seconds{})
      return run.start;
  return otherwise;
}

using Simulation = Timeline (*)(const Plan&, const Cluster&, const EngineOptions&);

// The first rows may differ from those behind them, by what comes before. Each time twice as many
// are written out, so that it costs at most some two times what all steps do.
Timeline with_rows_enough(Simulation simulation, Plan& plan, const Cluster& cluster,
                          const EngineOptions& options) {
  if (!options.slow_down.transfers.empty())  // each by its own chance
    plan = unrolled(plan);
  for (std::uint32_t more = 1; !repeats_of(plan).empty(); more *= 2)
    try {
      return simulation(plan, cluster, options);
    } catch (const StepsDiffer& differ) {
      plan = with_more_rows(plan, more);
      log::debug(fmt::format("{}: {} tasks are written out", differ.what(), plan.graph.size()));
    }
  return simulation(plan, cluster, options);
}

}  // namespace

Seconds mean_step_time(const Plan& plan, const Timeline& timeline) {
  return timeline.mean_iteration_time() / steps_of(plan);
}

Timeline simulate_steps(Plan& plan, const Cluster& cluster, const EngineOptions& options) {
  return with_rows_enough(simulate, plan, cluster, options);
}

Seconds step_time_of(const Plan& plan, const Cluster& cluster, const EngineOptions& options) {
  if (repeats_of(plan).empty())
    return mean_step_time(plan, simulate_times(plan, cluster, options));
  Plan own = plan;
  const Timeline timeline = with_rows_enough(simulate_times, own, cluster, options);
  return mean_step_time(own, timeline);
}

// A step lasts until the one begins that is written behind it.
std::vector<Seconds> step_times(const Plan& plan, const Timeline& timeline, ClassId rank_class) {
  std::vector<TaskId> firsts = plan.later_steps;
  firsts.push_back(0);
  std::ranges::sort(firsts);
  firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
  const Seconds end = timeline.begin + recorded_time(plan, timeline);
  std::vector<Seconds> lengths;
  Seconds begin = timeline.begin;
  for (std::size_t i = 1; i <= firsts.size(); ++i) {
    const Seconds next =
        i < firsts.size() ? compute_start(plan, timeline, rank_class, firsts[i], end) : end;
    lengths.push_back(next - begin);
    begin = next;
  }
  std::vector<Seconds> times = {lengths.front()};
  for (const TaskId first : plan.later_steps)
    times.push_back(lengths[static_cast<std::size_t>(std::ranges::lower_bound(firsts, first) -
                                                     firsts.begin())]);
  return times;
}

}  // namespace stepcast
