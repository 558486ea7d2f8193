#include "sim/jobs/edits/planned_step.hpp"

#include <algorithm>
#include <numeric>

#include "models/collective/collective.hpp"
#include "models/schedule/edited/plan_graph.hpp"
#include "sim/jobs/edits/estimates.hpp"

namespace stepcast {
namespace {

using Classes = std::vector<ClassId>;

Classes all_classes(const Timeline& timeline) {
  Classes classes(timeline.classes.size());
  std::iota(classes.begin(), classes.end(), ClassId{0});
  return classes;
}

/// By stage, the classes of its ranks.
std::vector<Classes> classes_of_stages(const Timeline& timeline, const WorkGraph& graph) {
  std::vector<Classes> stages;
  for (const std::vector<Rank>& members : graph.members) {
    Classes& classes = stages.emplace_back();
    for (const Rank rank : members)
      classes.push_back(timeline.class_of_rank[rank]);
    std::ranges::sort(classes);
    classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  }
  return stages;
}

/// When a task ran in the steady iteration: of ranks that do the same, but one of them slower, on
/// the one that ended last.
Interval times_of(const Timeline& timeline, TaskId task, const Classes& classes) {
  Interval last = kNotRun;
  for (const ClassId of : classes)
    if (const Interval& ran = timeline.at(1, task, of); ran.end > last.end)
      last = ran;
  return last.end < Seconds{} ? Interval{} : last;
}

TimedStep timed(const Plan& plan, const WorkGraph& graph, const Cluster& cluster,
                const EngineOptions& engine) {
  const EditedPlan changed = edited_plan(plan, graph);
  const Timeline timeline = simulate(changed.plan, cluster, engine);
  TimedStep timed{.step = timeline.mean_iteration_time() / static_cast<double>(steps_of(plan)),
                  .iteration = timeline.mean_iteration_time(),
                  .nodes = {{}}};
  const Classes all = all_classes(timeline);
  const std::vector<Classes> of_stage = classes_of_stages(timeline, graph);
  for (std::size_t id = 0; id < graph.nodes.size(); ++id) {
    const std::uint32_t rank = graph.nodes[id].rank;
    timed.nodes.front().push_back(
        times_of(timeline, changed.tasks[id], rank == kNone ? all : of_stage[rank]));
  }
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
  if (stage_of_rank.empty() && pays_to_estimate(plan, engine))
    step.estimate = [&plan, &cluster,
                     estimates = estimating(engine)](const std::vector<WorkGraph>& graphs) {
      return timed(plan, graphs.front(), cluster, estimates);
    };
  step.ratio = [&plan, &cluster](const std::string& /*kind*/, const WorkNode& node, Bytes to,
                                 std::uint32_t, std::uint32_t) {
    const Seconds before = cost_at(plan, node, node.size, cluster);
    return before > Seconds{} ? cost_at(plan, node, to, cluster) / before : 1.0;
  };
  step.model = std::move(model);
  step.memory = plan.memory.total();
  return step;
}

EditableStep editable_step(const Plan& plan, const Workload& workload, const Cluster& cluster,
                           const EngineOptions& engine) {
  return editable_step(plan, planned_model(workload), cluster, engine, {});
}

EditableStep editable_step(const Plan& plan, const HybridJob& job, const Workload& model,
                           const Cluster& cluster, const EngineOptions& engine) {
  std::vector<std::uint32_t> stage_of_rank;
  for (Rank rank = 0; rank < job.layout.ranks(); ++rank)
    stage_of_rank.push_back(job.layout.stage_of(rank));
  EditableStep step =
      editable_step(plan, planned_model(job, model), cluster, engine, stage_of_rank);
  step.graphs.front().timed_messages = job.blocked > Seconds{} || !job.links.empty();
  if (std::ranges::any_of(job.units, [](const ModelUnit& unit) { return unit.sent > Bytes{}; }))
    step.notes.push_back(
        "messages inside layers are time of their stage, which edits of communications leave as it "
        "is");
  return step;
}

}  // namespace stepcast
