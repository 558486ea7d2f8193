#include "models/schedule/edited/plan_graph.hpp"

#include <algorithm>

namespace stepcast {
namespace {

using Stages = std::vector<std::uint32_t>;

/// Of each team, in order, the stages that have ranks in it; where all ranks are alike that of all.
std::vector<Stages> stages_of_teams(const Plan& plan, const Stages& stage_of_rank) {
  std::vector<Stages> stages(plan.teams.size(), {kNone});
  if (stage_of_rank.empty())
    return stages;
  for (std::size_t team = 0; team < stages.size(); ++team) {
    std::vector<bool> takes_part(std::ranges::max(stage_of_rank) + 1);
    for (const Group& group : plan.teams[team].groups)
      for (const Rank rank : group.ranks)
        takes_part[stage_of_rank[rank]] = true;
    stages[team].clear();
    for (std::uint32_t stage = 0; stage < takes_part.size(); ++stage)
      if (takes_part[stage])
        stages[team].push_back(stage);
  }
  return stages;
}

class GraphOfPlan {
 public:
  GraphOfPlan(const Plan& plan, const std::vector<std::string>& layers, const Stages& stage_of_rank)
      : plan_(plan), stages_(stages_of_teams(plan, stage_of_rank)) {
    graph_.planned = true;
    for (Rank rank = 0; rank < stage_of_rank.size(); ++rank) {
      graph_.members.resize(std::max<std::size_t>(graph_.members.size(), stage_of_rank[rank] + 1));
      graph_.members[stage_of_rank[rank]].push_back(rank);
    }
    for (std::uint32_t stage = 0; stage < graph_.members.size(); ++stage)
      graph_.stages.push_back(stage);
    for (const std::string& layer : layers)
      layers_.push_back(graph_.layers.number_of(layer));
  }

  WorkGraph run() && {
    for (const Stream& stream : plan_.streams)
      graph_.streams.push_back({stream.name, std::holds_alternative<InOrder>(stream.rule)});
    find_layers();
    for (TaskId id = 0; id < plan_.graph.size(); ++id)
      add_nodes(id);
    for (const auto& [before, after] : plan_.graph.edges())
      add_edges(before, after, 0);
    for (const auto& [before, after] : plan_.next)
      add_edges(before, after, 1);
    for (const LaterEdge& edge : plan_.later)
      add_edges(edge.before, edge.after, edge.iterations);
    return std::move(graph_);
  }

 private:
  // Communications have the last layer, in forward order, of what they wait for.
  void find_layers() {
    for (const Task& task : plan_.graph.tasks())
      layer_.push_back(task.layer == kNone ? kNone : layers_[task.layer]);
    for (TaskId id = 0; id < plan_.graph.size(); ++id)
      plan_.graph.for_each_successor(id, [&](TaskId after) {
        if (plan_.graph.task(after).kind == TaskKind::Communication && layer_[id] != kNone)
          layer_[after] = layer_[after] == kNone ? layer_[id] : std::min(layer_[after], layer_[id]);
      });
  }

  void add_nodes(TaskId id) {
    const Task& task = plan_.graph.task(id);
    WorkNode node{
        .layer = layer_[id], .stream = task.stream, .origin = id, .duration = task.duration};
    node.name =
        graph_.names.number_of(task.label == kNone ? std::string() : plan_.labels[task.label]);
    node.communicates = task.kind == TaskKind::Communication;
    if (node.communicates) {
      const PlannedCollective& planned = plan_.collectives[task.collective];
      node.kind = graph_.kinds.number_of(name_of(planned.collective.kind));
      node.size = planned.collective.size;
      node.priority = planned.priority;
      node.fusable = planned.fusable;
      node.duration = {};
      node.team = task.team;
      if (stages_[task.team].size() > 1)
        node.meeting = meetings_++;
    } else {
      node.kind = graph_.kinds.number_of(phase_of(plan_, task));
    }
    first_node_.push_back(static_cast<std::uint32_t>(graph_.nodes.size()));
    for (const std::uint32_t stage : stages_[task.team]) {
      node.rank = stage;
      graph_.nodes.push_back(node);
    }
  }

  // On each stage that does both.
  void add_edges(TaskId before, TaskId after, std::uint32_t later) {
    const Stages& first = stages_[plan_.graph.task(before).team];
    const Stages& second = stages_[plan_.graph.task(after).team];
    for (std::uint32_t i = 0; i < first.size(); ++i)
      if (const auto found = std::ranges::lower_bound(second, first[i]);
          found != second.end() && *found == first[i])
        graph_.edges.push_back(
            {first_node_[before] + i,
             first_node_[after] + static_cast<std::uint32_t>(found - second.begin()), later});
  }

  const Plan& plan_;
  std::vector<Stages> stages_;  // By team.
  WorkGraph graph_;
  std::vector<std::uint32_t> layers_;      // Of the plan, as the graph numbers them.
  std::vector<std::uint32_t> layer_;       // By task.
  std::vector<std::uint32_t> first_node_;  // By task.
  std::uint32_t meetings_ = 0;
};

}  // namespace

WorkGraph graph_of(const Plan& plan, const std::vector<std::string>& layers,
                   const std::vector<std::uint32_t>& stage_of_rank) {
  return GraphOfPlan(plan, layers, stage_of_rank).run();
}

}  // namespace stepcast
