#include "models/schedule/plan_checks.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

/// Whether two teams have a rank in common; each pair is looked at once.
class Overlaps {
 public:
  explicit Overlaps(const Plan& plan) : plan_(plan) {}

  bool between(TeamId a, TeamId b) {
    if (a == b || a == 0 || b == 0)
      return true;
    const auto [known, is_new] = known_.try_emplace(std::minmax(a, b), false);
    if (is_new)
      known->second = share_a_rank(plan_.teams[a], plan_.teams[b]);
    return known->second;
  }

 private:
  static bool share_a_rank(const Team& a, const Team& b) {
    std::vector<Rank> ranks;
    for (const Group& group : a.groups)
      ranks.insert(ranks.end(), group.ranks.begin(), group.ranks.end());
    std::ranges::sort(ranks);
    return std::ranges::any_of(b.groups, [&](const Group& group) {
      return std::ranges::any_of(
          group.ranks, [&](Rank rank) { return std::ranges::binary_search(ranks, rank); });
    });
  }

  const Plan& plan_;
  std::map<std::pair<TeamId, TeamId>, bool> known_;
};

}  // namespace

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

void require_common_ranks(const Plan& plan) {
  Overlaps overlaps(plan);
  const auto check = [&](TaskId before, TaskId after) {
    if (!overlaps.between(plan.graph.task(before).team, plan.graph.task(after).team))
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
