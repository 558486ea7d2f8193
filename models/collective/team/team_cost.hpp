#pragma once

#include <vector>

#include "models/collective/collective.hpp"
#include "models/collective/links.hpp"
#include "models/network/team.hpp"

namespace stepcast {

/// For each group of a team, how many groups of the team use the NIC, and the rack uplink, that
/// most of them use, of those that the group uses itself; 1 where it has them to itself.
std::vector<Crossing> sharing_of(const Team& team, const Cluster& cluster);

/// What cost_of(collective, group, cluster) becomes while other groups of its team do the same:
/// links that k groups cross carry a k-th for each. Exact where all of them cross as many; else an
/// upper bound, since the busiest link counts for all. A measured time grows by as much as the
/// closed form does.
Seconds cost_in_team(const Collective& collective, const Group& group, Crossing sharing,
                     const Cluster& cluster);

}  // namespace stepcast
