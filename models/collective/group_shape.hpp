#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/collective/links.hpp"
#include "models/network/cluster.hpp"

namespace stepcast {

/// Whether the ranks are r, r + 1, r + 2, ...
bool is_consecutive(const Group& group);

/// The furthest any two members are apart, with nobody to share the links with.
Crossing reach_of(const Group& group, const Cluster& cluster);

/// A group that looks the same from each of its nodes: consecutive ranks that fill whole nodes, and
/// whole racks if there are several (or any consecutive ranks of one node).
struct Blocks {
  std::uint32_t ranks = 0;
  std::uint32_t per_node = 0;  ///< Members on each node.
  std::uint32_t per_rack = 0;  ///< Members in each rack; all of them if there is one rack.

  /// How links are shared when rank r sends to rank r + distance for every r, around the end.
  Crossing shift(std::uint32_t distance) const;
};
std::optional<Blocks> find_blocks(const Group& group, const Cluster& cluster);

/// The members node by node, nodes in the order of their first member.
std::vector<std::vector<Rank>> by_node(const Group& group, const Cluster& cluster);

}  // namespace stepcast
