#include "sim/engine/steps.hpp"

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

}  // namespace

Seconds mean_step_time(const Plan& plan, const Timeline& timeline) {
  return timeline.mean_iteration_time() / steps_of(plan);
}

Seconds step_time_of(const Plan& plan, const Cluster& cluster, const EngineOptions& options) {
  return mean_step_time(plan, simulate(plan, cluster, options));
}

std::vector<Seconds> step_times(const Plan& plan, const Timeline& timeline, ClassId rank_class) {
  const Seconds end = timeline.begin + timeline.iteration_time;
  std::vector<Seconds> times;
  Seconds begin = timeline.begin;
  for (const TaskId first : plan.later_steps) {
    const Seconds next = compute_start(plan, timeline, rank_class, first, end);
    times.push_back(next - begin);
    begin = next;
  }
  times.push_back(end - begin);
  return times;
}

}  // namespace stepcast
