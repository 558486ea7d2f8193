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

/// Whether a team is one group of all ranks.
bool is_of_all(const Team& team, const Cluster& cluster);

/// Ranks of equal `colours` whose surroundings are equal too. Roles of ranks count from 0 in the
/// order of the ranks; those of groups only tell groups of the same team apart. `barriers_alone`:
/// what all ranks do together meets no other traffic, so that nobody asks for its links.
Roles find_roles(const Plan& plan, const Cluster& cluster, Fidelity fidelity,
                 const std::vector<std::uint64_t>& colours, bool barriers_alone = false);

}  // namespace stepcast
