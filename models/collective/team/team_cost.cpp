#include "models/collective/team/team_cost.hpp"

#include <algorithm>
#include <set>

namespace stepcast {
namespace {

/// How many groups cross the link of each place (a node, a rack), out of it and into it.
struct Load {
  std::vector<std::uint32_t> groups;

  template <class PlaceOf>
  void add(const Group& group, PlaceOf place_of) {
    for (const std::uint32_t place : places_left(group, place_of)) {
      if (place >= groups.size())
        groups.resize(place + std::size_t{1});
      ++groups[place];
    }
  }

  template <class PlaceOf>
  std::uint32_t most(const Group& group, PlaceOf place_of) const {
    std::uint32_t most = 1;
    for (const std::uint32_t place : places_left(group, place_of))
      most = std::max(most, groups[place]);
    return most;
  }

 private:
  /// Places with members of a group that has others elsewhere.
  template <class PlaceOf>
  static std::set<std::uint32_t> places_left(const Group& group, PlaceOf place_of) {
    std::set<std::uint32_t> places;
    for (const Rank rank : group.ranks)
      places.insert(place_of(rank));
    if (places.size() == 1)
      places.clear();
    return places;
  }
};

}  // namespace

std::vector<Crossing> sharing_of(const Team& team, const Cluster& cluster) {
  if (team.groups.size() == 1)
    return {{1, 1}};
  const auto node = [&](Rank rank) { return node_of(cluster, rank); };
  const auto rack = [&](Rank rank) { return rack_of(cluster, rank); };
  Load on_nics;
  Load on_uplinks;
  for (const Group& group : team.groups) {
    on_nics.add(group, node);
    on_uplinks.add(group, rack);
  }
  std::vector<Crossing> sharing;
  for (const Group& group : team.groups)
    sharing.push_back({on_nics.most(group, node), on_uplinks.most(group, rack)});
  return sharing;
}

Seconds cost_in_team(const Collective& collective, const Group& group, Crossing sharing,
                     const Cluster& cluster) {
  const Seconds alone = cost_of(collective, group, cluster);
  if (sharing.on_nic == 1 && sharing.on_uplink == 1)
    return alone;
  Cluster shared = cluster;
  shared.measured.reset();
  const Seconds closed_form = cluster.measured ? cost_of(collective, group, shared) : alone;
  shared.nic.bandwidth = cluster.nic.bandwidth / sharing.on_nic;
  // An uplink's bandwidth follows from the NICs'.
  if (shared.rack)
    shared.rack->oversubscription *= static_cast<double>(sharing.on_uplink) / sharing.on_nic;
  const Seconds together = cost_of(collective, group, shared);
  return cluster.measured ? alone + (together - closed_form) : together;
}

}  // namespace stepcast
