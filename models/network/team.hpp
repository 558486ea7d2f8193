#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/network/cluster.hpp"

namespace stepcast {

/// A family of disjoint groups of equally many ranks. A task of a team exists once in the plan and
/// runs once in each of its groups: compute on every rank by itself, a collective among the ranks
/// of each group. Build one with team_of() or with a Layout.
struct Team {
  std::vector<Group> groups;

  std::uint32_t group_size() const { return groups.front().size(); }
  std::size_t ranks() const { return groups.size() * group_size(); }
};

auto fields_of(Is<Team> auto& team) {
  auto& [groups] = team;
  return std::tie(groups);
}

/// Throws InputError if there is no group, one is empty or larger than another, or a rank is in
/// two of them.
Team team_of(std::vector<Group> groups);

/// One group: all ranks of the cluster.
Team world_team(const Cluster& cluster);

/// The group of the team that `rank` belongs to; none if it is no member.
std::optional<std::uint32_t> find_group(const Team& team, Rank rank);

/// Which group of a team each rank is in, for many questions: kNoGroup where it is no member.
inline constexpr std::uint32_t kNoGroup = 0xffffffff;
std::vector<std::uint32_t> groups_by_rank(const Team& team, std::uint32_t ranks);

}  // namespace stepcast
