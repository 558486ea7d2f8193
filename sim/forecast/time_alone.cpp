#include "sim/forecast/time_alone.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "models/schedule/accumulation.hpp"
#include "models/schedule/list/registry.hpp"
#include "models/workload/transformer/transformer_workload.hpp"
#include "sim/engine/engine.hpp"

namespace stepcast {
namespace {

/// What a worker of the plan updates in its first step: all parameters, or the share that is its
/// own. Later steps of a period may stand for many.
Seconds update_of_worker(const Plan& plan) {
  std::span<const Task> tasks(plan.graph.tasks());
  if (!plan.later_steps.empty())
    tasks = tasks.first(plan.later_steps.front());
  const auto forward = std::ranges::find(tasks, TaskKind::Forward, &Task::kind);
  Seconds sum{};
  for (const Task& task : tasks)
    if (task.kind == TaskKind::Update && forward != tasks.end() && task.team == forward->team)
      sum += task.duration;
  return sum;
}

}  // namespace

Seconds time_alone(const Workload& workload, const Cluster& cluster, const Plan& plan) {
  const std::uint32_t passes = plan.summary.passes;
  const Seconds update = std::min(workload.update, update_of_worker(plan));
  // A job without host work, accumulation and model groups needs no copy of its workload.
  if (plan.host == kNone && passes == 1 && workload.model_group <= 1)
    return forward_time(workload) + backward_time(workload) + update;
  Workload alone = without_layers_of(kModelMessages, workload);
  if (plan.host == kNone)
    return (forward_time(alone) + backward_time(with_accumulated_gradients(alone, passes))) *
               passes +
           update;
  alone.input = {};
  Cluster one = cluster;
  one.nodes = one.gpus_per_node = 1;
  one.rack.reset();
  const Plan sequential =
      build_plan(sequential_schedule().name, alone, one, {{kAccumulation, std::to_string(passes)}});
  return simulate(sequential, one, {.fidelity = Fidelity::Analytic}).mean_iteration_time();
}

}  // namespace stepcast
