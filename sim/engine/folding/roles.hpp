#pragma once

#include <cstdint>
#include <vector>

#include "models/network/cluster.hpp"
#include "models/schedule/plan.hpp"
#include "sim/engine/engine.hpp"

namespace stepcast {

/// Which ranks, and which groups of each team, keep the same times.
struct Roles {
  std::vector<std::uint32_t> of_rank;
  std::vector<std::vector<std::uint32_t>> of_group;  ///< By team and group.
  /// Nodes of the same number carry the same flows, each of their GPUs as many, and send to as many
  /// nodes as they are. Empty where that is not so of all nodes, and at other fidelities than flow.
  std::vector<std::uint32_t> of_node;
};

/// Ranks of equal `colours` whose surroundings are equal too. Roles of ranks count from 0 in the
/// order of the ranks; those of groups only tell groups of the same team apart.
Roles find_roles(const Plan& plan, const Cluster& cluster, Fidelity fidelity,
                 const std::vector<std::uint64_t>& colours);

}  // namespace stepcast
