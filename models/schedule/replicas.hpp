#pragma once

#include <cstdint>

#include "models/network/cluster.hpp"
#include "models/network/team.hpp"
#include "models/schedule/plan.hpp"

namespace stepcast {

/// Returns the replicas of a model, or of a part of it, as a cluster of their own: the ranks of the
/// first group of `replicas`. Other replicas on the same nodes communicate at the same time, so
/// that its NICs have a share of the bandwidth.
Cluster replica_cluster(const Cluster& cluster, const Team& replicas);

/// Returns the team that `positions` is among the replicas of each group.
Team team_of_replicas(const Team& replicas, const Team& positions);

/// Returns groups of replicas of a model that `group` neighbouring ranks share: each rank with its
/// counterparts. Throws InputError unless nodes hold whole models.
Team model_replicas(const Cluster& cluster, std::uint32_t group);

/// Returns the plan of a data-parallel schedule for replica_cluster() as one for all ranks: each
/// rank of a model communicates with its counterparts. Linear in tasks and ranks of teams.
Plan plan_over_replicas(Plan plan, const Team& replicas);

}  // namespace stepcast
