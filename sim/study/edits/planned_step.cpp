#include "sim/study/edits/planned_step.hpp"

#include "models/collective/collective.hpp"
#include "models/schedule/edited/plan_graph.hpp"

namespace stepcast {

EditableStep editable_step(const Plan& plan, const Workload& workload, const Cluster& cluster,
                           const EngineOptions& engine) {
  std::vector<std::string> layers;
  for (const Layer& layer : workload.layers)
    layers.push_back(layer.name);
  EditableStep step;
  step.graphs.push_back(graph_of(plan, layers));
  step.time = [&plan, &cluster, &engine](const std::vector<WorkGraph>& graphs) {
    const Plan changed = edited_plan(plan, graphs.front());
    const Timeline timeline = simulate(changed, cluster, engine);
    TimedStep timed{.step = timeline.mean_iteration_time() / static_cast<double>(steps_of(plan)),
                    .nodes = {{}}};
    for (TaskId task = 0; task < changed.graph.size(); ++task)
      for (ClassId of = 0; of < timeline.classes.size(); ++of)
        if (const Interval& ran = timeline.at(1, task, of); ran.end >= Seconds{}) {
          timed.nodes.front().resize(task + 1);
          timed.nodes.front()[task] = {ran.ready, ran.start, ran.end};
          break;
        }
    timed.nodes.front().resize(changed.graph.size());
    return timed;
  };
  step.ratio = [&cluster](const std::string& kind, Bytes from, Bytes to, std::uint32_t,
                          std::uint32_t) {
    const auto known = find_collective_kind(kind);
    if (!known)
      return to / from;
    const auto cost = [&](Bytes size) {
      return cost_of({.kind = *known, .algorithm = default_algorithm(*known), .size = size},
                     world_of(cluster), cluster);
    };
    const Seconds before = cost(from);
    return before > Seconds{} ? cost(to) / before : 1.0;
  };
  return step;
}

}  // namespace stepcast
