#include "models/network/team.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

void require_disjoint(const std::vector<Group>& groups) {
  std::vector<Rank> all;
  for (const Group& group : groups)
    all.insert(all.end(), group.ranks.begin(), group.ranks.end());
  std::ranges::sort(all);
  const auto twice = std::ranges::adjacent_find(all);
  if (twice != all.end())
    throw InputError(
        fmt::format("team: expected groups without common ranks, found rank {} twice", *twice));
}

}  // namespace

Team team_of(std::vector<Group> groups) {
  if (groups.empty())
    throw InputError("team: expected at least one group");
  for (const Group& group : groups)
    if (group.ranks.empty() || group.size() != groups.front().size())
      throw InputError(fmt::format("team: expected groups of equally many ranks, found {} and {}",
                                   groups.front().size(), group.size()));
  require_disjoint(groups);
  return {std::move(groups)};
}

Team world_team(const Cluster& cluster) {
  return {{world_of(cluster)}};
}

std::optional<std::uint32_t> find_group(const Team& team, Rank rank) {
  for (std::uint32_t i = 0; i < team.groups.size(); ++i)
    if (std::ranges::find(team.groups[i].ranks, rank) != team.groups[i].ranks.end())
      return i;
  return std::nullopt;
}

std::vector<std::uint32_t> groups_by_rank(const Team& team, std::uint32_t ranks) {
  std::vector<std::uint32_t> group_of(ranks, kNoGroup);
  for (std::uint32_t i = 0; i < team.groups.size(); ++i)
    for (const Rank rank : team.groups[i].ranks)
      if (rank < ranks)
        group_of[rank] = i;
  return group_of;
}

}  // namespace stepcast
