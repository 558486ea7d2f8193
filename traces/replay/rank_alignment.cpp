#include "traces/replay/rank_alignment.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

using Groups = std::set<std::vector<std::uint32_t>>;

/// Of the collectives of all steps.
Groups groups_of(const std::vector<RecordedStep>& steps) {
  Groups groups;
  for (const RecordedStep& step : steps)
    for (const RecordedTask& task : step.tasks)
      if (task.kind == RecordedKind::Collective)
        groups.insert(task.group);
  return groups;
}

/// Those of one of the groups: a rank takes no part in what the others run among themselves.
std::vector<const RecordedTask*> collectives_of(const RecordedStep& step, const Groups& groups) {
  std::vector<const RecordedTask*> collectives;
  for (const RecordedTask& task : step.tasks)
    if (task.kind == RecordedKind::Collective && groups.contains(task.group))
      collectives.push_back(&task);
  return collectives;
}

bool are_the_same(const RecordedTask& a, const RecordedTask& b) {
  return a.collective == b.collective && a.size == b.size;
}

}  // namespace

void take_shortest_collectives(std::vector<RecordedStep>& steps,
                               const std::vector<RecordedStep>& other_rank,
                               const std::string& origin, const std::string& first) {
  const auto refuse = [&](const std::string& what) {
    throw InputError(fmt::format("{}: expected the {} of {}, found others: no ranks of one job",
                                 origin, what, first));
  };
  if (steps.size() != other_rank.size())
    refuse("steps");
  const Groups mine = groups_of(steps);
  const Groups theirs = groups_of(other_rank);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto others = collectives_of(other_rank[i], mine);
    auto other = others.begin();
    for (RecordedTask& task : steps[i].tasks) {
      if (task.kind != RecordedKind::Collective || !theirs.contains(task.group))
        continue;
      if (other == others.end() || !are_the_same(task, **other))
        refuse(fmt::format("collectives in {}", steps[i].name));
      task.duration = std::min(task.duration, (*other++)->duration);
    }
    if (other != others.end())
      refuse(fmt::format("collectives in {}", steps[i].name));
  }
}

}  // namespace stepcast
