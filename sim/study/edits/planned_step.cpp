#include "sim/study/edits/planned_step.hpp"

#include "models/collective/collective.hpp"
#include "models/schedule/edited/plan_graph.hpp"

namespace stepcast {
namespace {

/// When a task ran in the steady iteration: on the ranks of a stage, or on the first that it did.
NodeTimes times_of(const Timeline& timeline, TaskId task, const WorkNode& node,
                   const WorkGraph& graph) {
  const auto on = [&](ClassId of) -> NodeTimes {
    const Interval& ran = timeline.at(1, task, of);
    return {ran.ready, ran.start, ran.end};
  };
  if (node.rank != kNone)
    return on(timeline.class_of_rank[graph.members[node.rank].front()]);
  for (ClassId of = 0; of < timeline.classes.size(); ++of)
    if (const NodeTimes times = on(of); times.end >= Seconds{})
      return times;
  return {};
}

TimedStep timed(const Plan& plan, const WorkGraph& graph, const Cluster& cluster,
                const EngineOptions& engine) {
  const EditedPlan changed = edited_plan(plan, graph);
  const Timeline timeline = simulate(changed.plan, cluster, engine);
  TimedStep timed{.step = timeline.mean_iteration_time() / static_cast<double>(steps_of(plan)),
                  .nodes = {{}}};
  for (std::size_t id = 0; id < graph.nodes.size(); ++id)
    timed.nodes.front().push_back(times_of(timeline, changed.tasks[id], graph.nodes[id], graph));
  return timed;
}

/// On an idle network, as its team has it.
Seconds cost_at(const Plan& plan, const WorkNode& node, Bytes size, const Cluster& cluster) {
  Collective collective = plan.collectives[plan.graph.task(node.origin).collective].collective;
  collective.size = size;
  return cost_of(collective, plan.teams[node.team].groups.front(), cluster);
}

}  // namespace

EditableStep editable_step(const Plan& plan, PlannedModel model, const Cluster& cluster,
                           const EngineOptions& engine,
                           const std::vector<std::uint32_t>& stage_of_rank) {
  std::vector<std::string> layers;
  for (const PlannedLayer& layer : model.layers)
    layers.push_back(layer.name);
  EditableStep step;
  step.graphs.push_back(graph_of(plan, layers, stage_of_rank));
  step.time = [&plan, &cluster, &engine](const std::vector<WorkGraph>& graphs) {
    return timed(plan, graphs.front(), cluster, engine);
  };
  step.ratio = [&plan, &cluster](const std::string& /*kind*/, const WorkNode& node, Bytes to,
                                 std::uint32_t, std::uint32_t) {
    const Seconds before = cost_at(plan, node, node.size, cluster);
    return before > Seconds{} ? cost_at(plan, node, to, cluster) / before : 1.0;
  };
  step.model = std::move(model);
  return step;
}

EditableStep editable_step(const Plan& plan, const Workload& workload, const Cluster& cluster,
                           const EngineOptions& engine) {
  return editable_step(plan, planned_model(workload), cluster, engine, {});
}

}  // namespace stepcast
