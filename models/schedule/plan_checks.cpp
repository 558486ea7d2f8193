#include "models/schedule/plan_checks.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"

namespace stepcast {
namespace {

bool share_a_rank(const Team& a, const Team& b) {
  std::vector<Rank> ranks;
  for (const Group& group : a.groups)
    ranks.insert(ranks.end(), group.ranks.begin(), group.ranks.end());
  std::ranges::sort(ranks);
  return std::ranges::any_of(b.groups, [&](const Group& group) {
    return std::ranges::any_of(group.ranks,
                               [&](Rank rank) { return std::ranges::binary_search(ranks, rank); });
  });
}

/// The ids that a plan's tasks and edges name, one after the other.
class KnownIds {
 public:
  explicit KnownIds(const Plan& plan) : plan_(plan) {}

  void check_tasks() const {
    for (TaskId id = 0; id < plan_.graph.size(); ++id) {
      const Task& task = plan_.graph.task(id);
      require(id, "team", task.team, plan_.teams.size());
      require(id, "stream", task.stream, plan_.streams.size());
      if (task.kind == TaskKind::Communication)
        require(id, "collective", task.collective, plan_.collectives.size());
    }
  }

  void check_edge(TaskId before, TaskId after) const {
    for (const auto& [id, other] : {std::pair{before, after}, {after, before}})
      if (id >= plan_.graph.size())
        throw InputError(fmt::format(
            "{}: an edge joins {} to task {}, but there are {} tasks", plan_.schedule,
            other < plan_.graph.size() ? describe(plan_, other) : fmt::format("task {}", other), id,
            plan_.graph.size()));
  }

  void check_quorums() const {
    if (plan_.quorums.empty())
      return;
    std::vector<std::uint32_t> waits_for = plan_.graph.in_degrees();
    for (const auto& [before, after] : plan_.next)
      ++waits_for[after];
    for (const LaterEdge& edge : plan_.later)
      ++waits_for[edge.after];
    for (const Quorum& quorum : plan_.quorums) {
      check_edge(quorum.task, quorum.task);
      if (quorum.needed < 1 || quorum.needed > waits_for[quorum.task])
        throw InputError(fmt::format("{}: {} needs {} of the {} tasks that it waits for",
                                     plan_.schedule, describe(plan_, quorum.task), quorum.needed,
                                     waits_for[quorum.task]));
    }
  }

 private:
  void require(TaskId task, const char* what, std::size_t id, std::size_t count) const {
    if (id >= count)
      throw InputError(fmt::format("{}: {} names {} {}, but there are {}", plan_.schedule,
                                   describe_safely(task), what, id, count));
  }

  // Of a communication the collective may be what is wrong.
  std::string describe_safely(TaskId task) const {
    const std::uint32_t label = plan_.graph.task(task).label;
    return fmt::format("task {}", label < plan_.labels.size() ? in_quotes(plan_.labels[label])
                                                              : std::to_string(task));
  }

  const Plan& plan_;
};

}  // namespace

bool CommonRanks::between(TeamId a, TeamId b) {
  if (a == b || a == 0 || b == 0)
    return true;
  const auto [known, is_new] = known_.try_emplace(std::minmax(a, b), false);
  if (is_new)
    known->second = share_a_rank(teams_[a], teams_[b]);
  return known->second;
}

std::string describe(const Plan& plan, TaskId id) {
  const Task& task = plan.graph.task(id);
  const std::string& label = plan.labels[task.label];
  switch (task.kind) {
    case TaskKind::Forward:
      return fmt::format("forward of {}", label);
    case TaskKind::Backward:
      return fmt::format("backward of {}", label);
    case TaskKind::Update:
    case TaskKind::OtherCompute:
      return fmt::format("compute \"{}\"", label);
    case TaskKind::Communication:
      return fmt::format("{} \"{}\"", name_of(plan.collectives[task.collective].collective.kind),
                         label);
  }
  return label;
}

void require_known_ids(const Plan& plan) {
  const KnownIds ids(plan);
  ids.check_tasks();
  for (const auto& [before, after] : plan.next)
    ids.check_edge(before, after);
  for (const auto& [task, announced] : plan.announcements)
    ids.check_edge(task, announced);
  for (const LaterEdge& edge : plan.later)
    ids.check_edge(edge.before, edge.after);
  ids.check_quorums();
}

void require_common_ranks(const Plan& plan) {
  CommonRanks common(plan.teams);
  const auto check = [&](TaskId before, TaskId after) {
    if (!common.between(plan.graph.task(before).team, plan.graph.task(after).team))
      throw InputError(fmt::format("{}: {} waits for {}, but no rank runs both", plan.schedule,
                                   describe(plan, after), describe(plan, before)));
  };
  for (TaskId id = 0; id < plan.graph.size(); ++id)
    plan.graph.for_each_successor(id, [&](TaskId after) { check(id, after); });
  for (const auto& [before, after] : plan.next)
    check(before, after);
  for (const auto& [task, announced] : plan.announcements)
    check(task, announced);
  for (const LaterEdge& edge : plan.later)
    check(edge.before, edge.after);
}

}  // namespace stepcast
