#include "models/schedule/edited/plan_graph.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "models/base/error.hpp"
#include "models/base/index.hpp"
#include "models/schedule/plan_checks.hpp"

namespace stepcast {
namespace {

/// Seconds a byte of the overheads of the plan's communications of a kind, where these lie on a
/// line over their sizes, as a server's sums do; else 0.
double overhead_per_byte(const Plan& plan, CollectiveKind kind) {
  std::vector<std::pair<double, double>> points;
  for (const PlannedCollective& planned : plan.collectives)
    if (planned.collective.kind == kind)
      points.emplace_back(planned.collective.size.value, planned.overhead.value);
  const auto [least, most] = std::ranges::minmax_element(points);
  if (points.empty() || !(most->first > least->first))
    return 0;
  const auto size = least->first;  // No binding: clang 14 captures none.
  const auto overhead = least->second;
  const double slope = (most->second - overhead) / (most->first - size);
  constexpr double kRounding = 1e-9;
  const bool is_line = std::ranges::all_of(points, [&](const auto& point) {
    return std::abs(overhead + slope * (point.first - size) - point.second) < kRounding;
  });
  return is_line ? slope : 0;
}

/// Gives communications the last layer, in forward order, of what they wait for.
void pass_layers_on(const Plan& plan, WorkGraph& graph) {
  for (TaskId id = 0; id < plan.graph.size(); ++id)
    plan.graph.for_each_successor(id, [&](TaskId after) {
      WorkNode& node = graph.nodes[after];
      const std::uint32_t layer = graph.nodes[id].layer;
      if (node.communicates && layer != kNone)
        node.layer = node.layer == kNone ? layer : std::min(node.layer, layer);
    });
}

class PlanRewriter {
 public:
  PlanRewriter(const Plan& plan, const WorkGraph& graph)
      : plan_(plan), graph_(graph), result_(plan) {}

  Plan run() {
    result_.collectives.clear();
    result_.labels.clear();
    add_streams();
    for (const PlannedCollective& planned : plan_.collectives)
      if (const CollectiveKind kind = planned.collective.kind; !per_byte_.contains(kind))
        per_byte_[kind] = overhead_per_byte(plan_, kind);
    std::vector<Task> tasks;
    for (const WorkNode& node : graph_.nodes)
      tasks.push_back(task_of(node));
    add_edges(std::move(tasks));
    add_quorums();
    add_announcements();
    for (TaskId& step : result_.later_steps)
      step = first_from(step);
    require_known_ids(result_);
    require_common_ranks(result_);
    return std::move(result_);
  }

 private:
  void add_streams() {
    for (std::size_t i = 0; i < graph_.streams.size(); ++i) {
      if (i == result_.streams.size())
        result_.streams.push_back({.name = graph_.streams[i].name});
      Stream& stream = result_.streams[i];
      if (!graph_.streams[i].in_order && std::holds_alternative<InOrder>(stream.rule))
        stream.rule = ByPriority{.at_once = 1};
    }
  }

  Task task_of(const WorkNode& node) {
    if (node.delay > Seconds{})
      throw InputError("a planned step has no delays of launches");
    Task task = plan_.graph.task(node.origin);
    task.stream = node.stream;
    task.label = label_of(graph_.names[node.name]);
    if (node.communicates) {
      PlannedCollective planned = plan_.collectives[task.collective];
      const double more = (node.size - planned.collective.size).value;
      planned.overhead = std::max(
          Seconds{}, planned.overhead + Seconds{more * per_byte_.at(planned.collective.kind)});
      planned.collective.size = node.size;
      planned.priority = node.priority;
      task.collective = checked_id(result_.collectives.size(), "collectives");
      result_.collectives.push_back(std::move(planned));
      return task;
    }
    task.duration = node.duration;
    const std::string& kind = graph_.kinds[node.kind];
    if (task.kind != TaskKind::Communication && phase_of(plan_, task) == kind)
      return task;
    const std::vector<std::string> usual = usual_phases();
    const auto found = std::ranges::find(usual, kind);
    const bool is_pass = found - usual.begin() < 3;
    task.kind = found - usual.begin() == 2 ? TaskKind::Update : TaskKind::OtherCompute;
    task.layer = kNone;
    task.collective = kNone;
    task.phase = phase_number(is_pass && task.kind != TaskKind::Update ? "other" : kind);
    return task;
  }

  std::uint32_t label_of(const std::string& name) {
    if (name.empty())
      return kNone;
    result_.labels.push_back(name);
    return static_cast<std::uint32_t>(result_.labels.size() - 1);
  }

  PhaseId phase_number(const std::string& name) {
    const auto found = std::ranges::find(result_.phases, name);
    if (found == result_.phases.end())
      result_.phases.push_back(name);
    return checked_short_id(
        static_cast<std::size_t>(std::ranges::find(result_.phases, name) - result_.phases.begin()),
        "phases");
  }

  // What a removed task waited for holds up what waited for it where one rank runs both.
  void add_edges(std::vector<Task> tasks) {
    std::vector<TaskGraph::Edge> edges;
    CommonRanks common(plan_.teams);
    result_.next.clear();
    result_.later.clear();
    for (const WorkEdge& edge : graph_.edges) {
      if (!common.between(tasks[edge.before].team, tasks[edge.after].team))
        continue;
      if (edge.later == 0)
        edges.emplace_back(edge.before, edge.after);
      else if (edge.later == 1)
        result_.next.emplace_back(edge.before, edge.after);
      else
        result_.later.push_back({edge.before, edge.after, edge.later});
    }
    result_.graph = TaskGraph(std::move(tasks), edges);
  }

  // Of those that a task became, the ones that wait for as many: what was inserted before it may do
  // so in its place.
  void add_quorums() {
    result_.quorums.clear();
    if (plan_.quorums.empty())
      return;
    std::vector<std::uint32_t> waits_for(graph_.nodes.size());
    for (const WorkEdge& edge : graph_.edges)
      ++waits_for[edge.after];
    for (const Quorum& quorum : plan_.quorums)
      for (TaskId id = 0; id < graph_.nodes.size(); ++id)
        if (graph_.nodes[id].origin == quorum.task && waits_for[id] >= quorum.needed)
          result_.quorums.push_back({id, quorum.needed});
  }

  // Of nodes that became several each copy has its own, where both did alike; else the last one's
  // stands for all. What waits for no background thread any more is announced to nobody, and what
  // nobody announces any more is so when it is ready.
  void add_announcements() {
    result_.announcements.clear();
    if (plan_.announcements.empty())
      return;
    std::vector<std::vector<TaskId>> became(plan_.graph.size());
    for (TaskId id = 0; id < graph_.nodes.size(); ++id)
      if (!graph_.nodes[id].inserted)
        became[graph_.nodes[id].origin].push_back(id);
    for (const auto& [task, announced] : plan_.announcements) {
      const std::vector<TaskId>& from = became[task];
      const std::vector<TaskId>& to = became[announced];
      for (std::size_t i = 0; i < to.size() && !from.empty(); ++i)
        if (std::holds_alternative<Negotiated>(
                result_.streams[result_.graph.task(to[i]).stream].rule))
          result_.announcements.emplace_back(from.size() == to.size() ? from[i] : from.back(),
                                             to[i]);
    }
  }

  TaskId first_from(TaskId origin) const {
    const auto found = std::ranges::find_if(
        graph_.nodes, [&](const WorkNode& node) { return node.origin >= origin; });
    return static_cast<TaskId>(found - graph_.nodes.begin());
  }

  const Plan& plan_;
  const WorkGraph& graph_;
  Plan result_;
  std::map<CollectiveKind, double> per_byte_;  // See overhead_per_byte().
};

}  // namespace

WorkGraph graph_of(const Plan& plan, const std::vector<std::string>& layers) {
  WorkGraph graph;
  for (const std::string& layer : layers)
    graph.layers.number_of(layer);
  for (const Stream& stream : plan.streams)
    graph.streams.push_back({stream.name, std::holds_alternative<InOrder>(stream.rule)});
  for (TaskId id = 0; id < plan.graph.size(); ++id) {
    const Task& task = plan.graph.task(id);
    WorkNode node{.stream = task.stream, .origin = id, .duration = task.duration};
    node.layer = task.layer == kNone ? kNone : graph.layers.number_of(layers[task.layer]);
    node.name =
        graph.names.number_of(task.label == kNone ? std::string() : plan.labels[task.label]);
    node.communicates = task.kind == TaskKind::Communication;
    if (node.communicates) {
      const PlannedCollective& planned = plan.collectives[task.collective];
      node.kind = graph.kinds.number_of(name_of(planned.collective.kind));
      node.size = planned.collective.size;
      node.priority = planned.priority;
      node.duration = {};
    } else {
      node.kind = graph.kinds.number_of(phase_of(plan, task));
    }
    graph.nodes.push_back(node);
  }
  for (const auto& [before, after] : plan.graph.edges())
    graph.edges.push_back({before, after});
  for (const auto& [before, after] : plan.next)
    graph.edges.push_back({before, after, 1});
  for (const LaterEdge& edge : plan.later)
    graph.edges.push_back({edge.before, edge.after, edge.iterations});
  pass_layers_on(plan, graph);
  return graph;
}

Plan edited_plan(const Plan& plan, const WorkGraph& graph) {
  return PlanRewriter(plan, graph).run();
}

}  // namespace stepcast
