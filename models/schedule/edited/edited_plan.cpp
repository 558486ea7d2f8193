#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "models/base/error.hpp"
#include "models/base/index.hpp"
#include "models/schedule/edited/plan_graph.hpp"
#include "models/schedule/edited/task_order.hpp"
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

class PlanRewriter {
 public:
  PlanRewriter(const Plan& plan, const WorkGraph& graph)
      : plan_(plan), graph_(graph), result_(plan), order_(task_order(graph)) {}

  EditedPlan run() {
    result_.collectives.clear();
    add_streams();
    for (const PlannedCollective& planned : plan_.collectives)
      if (const CollectiveKind kind = planned.collective.kind; !per_byte_.contains(kind))
        per_byte_[kind] = overhead_per_byte(plan_, kind);
    std::vector<Task> tasks;
    for (const std::uint32_t node : order_.node_of)
      tasks.push_back(task_of(graph_.nodes[node]));
    add_edges(std::move(tasks));
    add_quorums();
    add_announcements();
    for (TaskId& step : result_.later_steps)
      step = first_from(step);
    require_known_ids(result_);
    require_common_ranks(result_);
    return {.plan = std::move(result_), .tasks = std::move(order_.task_of)};
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
    task.team = team_of(node, task);
    task.label = label_of(graph_.names[node.name], task.label);
    if (node.communicates) {
      PlannedCollective planned = plan_.collectives[task.collective];
      const double more = (node.size - planned.collective.size).value;
      planned.overhead = std::max(
          Seconds{}, planned.overhead + Seconds{more * per_byte_.at(planned.collective.kind)});
      planned.collective.size = node.size;
      planned.priority = node.priority;
      if (node.free)
        be_free(planned);
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

  static void be_free(PlannedCollective& planned) {
    planned.collective.size = {};
    planned.overhead = {};
    planned.ideal = true;
  }

  // What was inserted beside a communication of several stages is one's own.
  TeamId team_of(const WorkNode& node, const Task& origin) {
    if (node.communicates || node.rank == kNone)
      return origin.team;
    const std::vector<Rank>& ranks = graph_.members[node.rank];
    const auto [known, is_new] = own_team_.try_emplace({origin.team, node.rank}, origin.team);
    if (!is_new || is_of(plan_.teams[origin.team], ranks))
      return known->second;
    const auto found =
        std::ranges::find_if(result_.teams, [&](const Team& team) { return is_of(team, ranks); });
    known->second = checked_id(static_cast<std::size_t>(found - result_.teams.begin()), "teams");
    if (found == result_.teams.end())
      result_.teams.push_back(stepcast::team_of({Group{ranks}}));
    return known->second;
  }

  static bool is_of(const Team& team, const std::vector<Rank>& ranks) {
    return team.ranks() == ranks.size() &&
           std::ranges::all_of(team.groups, [&](const Group& group) {
             return std::ranges::all_of(
                 group.ranks, [&](Rank rank) { return std::ranges::binary_search(ranks, rank); });
           });
  }

  std::uint32_t label_of(const std::string& name, std::uint32_t origin) {
    if (name.empty())
      return kNone;
    if (origin != kNone && plan_.labels[origin] == name)
      return origin;
    result_.labels.push_back(name);
    return checked_id(result_.labels.size() - 1, "labels");
  }

  PhaseId phase_number(const std::string& name) {
    const auto found = std::ranges::find(result_.phases, name);
    if (found == result_.phases.end())
      result_.phases.push_back(name);
    return checked_short_id(
        static_cast<std::size_t>(std::ranges::find(result_.phases, name) - result_.phases.begin()),
        "phases");
  }

  // What a removed task waited for holds up what waited for it where one rank runs both. An edge
  // between communications that several stages share is one of each of them: the first's is taken.
  void add_edges(std::vector<Task> tasks) {
    std::vector<TaskGraph::Edge> edges;
    std::map<std::tuple<TaskId, TaskId, std::uint32_t>, std::uint32_t> first_rank;
    CommonRanks common(result_.teams);
    result_.next.clear();
    result_.later.clear();
    for (const WorkEdge& edge : graph_.edges) {
      const TaskId before = order_.task_of[edge.before];
      const TaskId after = order_.task_of[edge.after];
      const std::uint32_t rank = graph_.nodes[edge.after].rank;
      if (!common.between(tasks[before].team, tasks[after].team) ||
          (rank != kNone &&
           first_rank.try_emplace({before, after, edge.later}, rank).first->second != rank))
        continue;
      if (edge.later == 0)
        edges.emplace_back(before, after);
      else if (edge.later == 1)
        result_.next.emplace_back(before, after);
      else
        result_.later.push_back({before, after, edge.later});
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
          result_.quorums.push_back({order_.task_of[id], quorum.needed});
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
        became[graph_.nodes[id].origin].push_back(order_.task_of[id]);
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
    if (found == graph_.nodes.end())
      throw InputError(
          "the last of the period's steps would have nothing to do: expected some of it to stay");
    return order_.task_of[static_cast<std::size_t>(found - graph_.nodes.begin())];
  }

  const Plan& plan_;
  const WorkGraph& graph_;
  Plan result_;
  TaskOrder order_;
  std::map<CollectiveKind, double> per_byte_;                    // See overhead_per_byte().
  std::map<std::pair<TeamId, std::uint32_t>, TeamId> own_team_;  // By team of origin, and rank.
};

}  // namespace

EditedPlan edited_plan(const Plan& plan, const WorkGraph& graph) {
  return PlanRewriter(plan, graph).run();
}

}  // namespace stepcast
