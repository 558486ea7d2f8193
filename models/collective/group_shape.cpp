#include "models/collective/group_shape.hpp"

#include <algorithm>
#include <limits>

namespace stepcast {
namespace {

std::uint32_t crossing_block(std::uint32_t ranks, std::uint32_t block, std::uint32_t distance) {
  // The last `distance` members of a block leave it; near the full circle, all but the first
  // `ranks - distance` come back into their own block.
  return ranks == block ? 0 : std::min({distance, block, ranks - distance});
}

bool fills_blocks(std::uint32_t first, std::uint32_t ranks, std::uint32_t block) {
  return first % block == 0 && ranks % block == 0;
}

}  // namespace

bool is_consecutive(const Group& group) {
  const Rank* ranks = group.ranks.data();
  const std::uint32_t count = group.size();
  std::uint32_t differing = 0;  // No early exit, so that the compiler vectorises the loop.
  for (std::uint32_t i = 0; i < count; ++i)
    differing |= ranks[i] ^ (ranks[0] + i);
  return differing == 0;
}

Crossing reach_of(const Group& group, const Cluster& cluster) {
  const Rank first = group.ranks.front();
  const auto differs = [&](auto place_of) {
    if (is_consecutive(group))
      return place_of(first) != place_of(group.ranks.back());
    return std::ranges::any_of(group.ranks,
                               [&](Rank rank) { return place_of(rank) != place_of(first); });
  };
  const bool nodes = differs([&](Rank rank) { return node_of(cluster, rank); });
  const bool racks = nodes && differs([&](Rank rank) { return rack_of(cluster, rank); });
  return {nodes ? 1U : 0U, racks ? 1U : 0U};
}

Crossing Blocks::shift(std::uint32_t distance) const {
  return {crossing_block(ranks, per_node, distance), crossing_block(ranks, per_rack, distance)};
}

std::optional<Blocks> find_blocks(const Group& group, const Cluster& cluster) {
  if (!is_consecutive(group))
    return std::nullopt;
  const Crossing reach = reach_of(group, cluster);
  const std::uint32_t ranks = group.size();
  Blocks blocks{ranks, ranks, ranks};
  if (reach.on_nic != 0)
    blocks.per_node = cluster.gpus_per_node;
  if (reach.on_uplink != 0)
    blocks.per_rack = cluster.gpus_per_node * cluster.rack->nodes;
  const Rank first = group.ranks.front();
  const bool even = (reach.on_nic == 0 || fills_blocks(first, ranks, blocks.per_node)) &&
                    (reach.on_uplink == 0 || fills_blocks(first, ranks, blocks.per_rack));
  return even ? std::optional(blocks) : std::nullopt;
}

std::vector<std::vector<Rank>> by_node(const Group& group, const Cluster& cluster) {
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> index_of_node(cluster.nodes, kNone);
  std::vector<std::vector<Rank>> nodes;
  for (const Rank rank : group.ranks) {
    std::uint32_t& index = index_of_node[node_of(cluster, rank)];
    if (index == kNone) {
      index = static_cast<std::uint32_t>(nodes.size());
      nodes.emplace_back();
    }
    nodes[index].push_back(rank);
  }
  return nodes;
}

}  // namespace stepcast
