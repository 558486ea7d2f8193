#include <algorithm>
#include <bit>
#include <utility>

#include "models/collective/algorithms.hpp"
#include "models/collective/group_shape.hpp"
#include "models/collective/links.hpp"
#include "models/collective/pipeline.hpp"

// Double binary tree (Sanders, Speck, Traeff 2009). Two trees move one half of the data each, in k
// chunks. The trees are in-order binary trees over positions 0 ... P-1: odd positions are leaves,
// and position 0 is the root with one child. Ranks take positions such that (nearly) every rank is
// a leaf in one of the trees, so that all ranks send and receive alike:
//   - all-reduce (reduce, then broadcast): position p is member p in the first tree; in the second
//     member P-1-p (P even) or p+1 mod P (P odd);
//   - broadcast and reduce: the root has position 0 in both; the others follow it in ring order in
//     the first tree, and shifted by one place among themselves in the second.
// The depth is h = ceil(log2 P). In a reduce, depth d sends chunk c up in round (h-d)+c; a
// broadcast is the same backwards. Every round waits for the whole round before.
//
// Cost. In a round an inner rank receives a chunk from each of its two children. On ranks that
// share no link (one GPU a node, or all on one node) with P = 2^h > 2, start-up a and m = M/(2k), a
// round takes a + 2m/B. A broadcast or reduce has h+k-1 of them; of the all-reduce's, the one in
// which only the two roots receive (send) takes a + m/B, twice; with P = 2 all do. Elsewhere the
// cost adds up the rounds, each as long as its busiest link makes it. That is exact if the messages
// that share a link have equal start-ups, an upper bound otherwise: with several GPUs a node,
// messages inside and between nodes share ports (seen: up to 21 % above the replay at 100 kB to 1
// MB, below 1 % on 64 GPUs from 1 MB on).

namespace stepcast::tree {
namespace {

constexpr std::uint32_t kMostChunks = 64;

/// Messages up the trees that end `depth` below the roots.
struct Edge {
  Rank child = 0;
  Rank parent = 0;
  std::uint32_t depth = 0;
};

/// A position p = odd * 2^b hangs below the neighbouring multiple of 2^(b+1) that is no multiple of
/// 2^(b+2); if that is beyond the end, below p - 2^b.
std::uint32_t parent_of(std::uint32_t position, std::uint32_t count) {
  const std::uint32_t step = position & (~position + 1);
  const std::uint32_t without = position ^ step;
  const std::uint32_t parent = without | (2 * step);
  return parent < count ? parent : without;
}

std::uint32_t depth_of(std::uint32_t position, std::uint32_t count) {
  std::uint32_t depth = 0;
  for (; position != 0; position = parent_of(position, count))
    ++depth;
  return depth;
}

/// Depth of the deepest position: ceil(log2 P).
std::uint32_t height_of(std::uint32_t count) {
  return static_cast<std::uint32_t>(std::bit_width(count - 1));
}

bool is_all_reduce(const Collective& collective) {
  return collective.kind == CollectiveKind::AllReduce;
}

/// Index in the group of a position of the first or second tree.
std::uint32_t member_at(const Collective& collective, bool second, std::uint32_t position,
                        std::uint32_t count) {
  if (is_all_reduce(collective)) {
    if (!second)
      return position;
    return count % 2 == 0 ? count - 1 - position : (position + 1) % count;
  }
  const std::uint32_t shifted = second && position != 0 ? 1 + position % (count - 1) : position;
  return (collective.root + shifted) % count;
}

std::vector<Edge> edges_of(const Collective& collective, const Group& group) {
  const std::uint32_t count = group.size();
  std::vector<Edge> edges;
  for (const bool second : {false, true}) {
    const auto rank_at = [&](std::uint32_t position) {
      return group.ranks[member_at(collective, second, position, count)];
    };
    for (std::uint32_t position = 1; position < count; ++position)
      edges.push_back(
          {rank_at(position), rank_at(parent_of(position, count)), depth_of(position, count)});
  }
  return edges;
}

/// The broadcast's time (h+k-1)(a + M/(kB)) on unshared links is smallest where (h-1)(M/B)/k + ka
/// is.
std::uint32_t chunk_count(const Collective& collective, const Group& group,
                          const Cluster& cluster) {
  const Link link = link_of(cluster, reach_of(group, cluster));
  const Seconds pipelined = collective.size / link.bandwidth * (height_of(group.size()) - 1);
  return best_chunk_count(pipelined, link.startup, kMostChunks);
}

std::vector<Round> reduce_rounds(const std::vector<Edge>& edges, std::uint32_t height, Bytes chunk,
                                 std::uint32_t chunks) {
  std::vector<std::vector<Message>> stages(height);
  for (const Edge& edge : edges)
    stages[height - edge.depth].push_back({edge.child, edge.parent, chunk});
  return pipelined_rounds(stages, chunks);
}

std::vector<Message> reversed(std::vector<Message> messages) {
  for (Message& message : messages)
    std::swap(message.from, message.to);
  return messages;
}

/// The same rounds backwards, from the roots to the leaves.
std::vector<Round> broadcast_rounds(const std::vector<Round>& reduce) {
  std::vector<Round> rounds;
  rounds.reserve(reduce.size());
  for (const Round& round : reduce)
    rounds.push_back({reversed(round.messages), round.repeat});
  std::ranges::reverse(rounds);
  return rounds;
}

bool has_closed_form(const Group& group, const Cluster& cluster) {
  const auto blocks = find_blocks(group, cluster);
  return blocks && std::has_single_bit(blocks->ranks) && blocks->per_rack == blocks->ranks &&
         (blocks->per_node == 1 || blocks->per_node == blocks->ranks);
}

Seconds closed_form(const Collective& collective, const Group& group, const Cluster& cluster) {
  const std::uint32_t chunks = chunk_count(collective, group, cluster);
  const Link link = link_of(cluster, reach_of(group, cluster));
  const Bytes chunk = collective.size / (2.0 * chunks);
  const Seconds lone = time_of(link, chunk);
  const Seconds two = time_of(link, 2 * chunk);
  const std::uint32_t rounds = height_of(group.size()) + chunks - 1;
  if (!is_all_reduce(collective))
    return two * rounds;
  return group.size() == 2 ? lone * (2 * rounds) : (two * (rounds - 1) + lone) * 2;
}

Seconds sum_of_rounds(const std::vector<Round>& rounds, const Cluster& cluster) {
  LinkLoads loads(cluster);
  Seconds total;
  for (const Round& round : rounds)
    total += loads.round_time(round.messages) * round.repeat;
  return total;
}

}  // namespace

/// O(1) where the closed form holds for the world, else O(P log P).
Seconds total_cost(const Collective& collective, const Group& group, const Cluster& cluster) {
  return has_closed_form(group, cluster)
             ? closed_form(collective, group, cluster)
             : sum_of_rounds(step_plan(collective, group, cluster).rounds, cluster);
}

std::vector<Phase> flow_phases(const Collective& collective, const Group& group,
                               const Cluster& cluster) {
  std::vector<Message> up;
  for (const Edge& edge : edges_of(collective, group))
    up.push_back({edge.child, edge.parent, collective.size / 2});
  up = crossing_or_all(std::move(up), cluster);
  const Seconds cost = total_cost(collective, group, cluster);
  const Seconds transfer = LinkLoads(cluster).transfer_time(up);  // The same down the trees.
  if (collective.kind == CollectiveKind::Reduce)
    return {phase_of(up, cost, transfer)};
  if (collective.kind == CollectiveKind::Broadcast)
    return {phase_of(reversed(up), cost, transfer)};
  return {phase_of(up, cost / 2, transfer), phase_of(reversed(up), cost / 2, transfer)};
}

StepPlan step_plan(const Collective& collective, const Group& group, const Cluster& cluster) {
  const std::uint32_t chunks = chunk_count(collective, group, cluster);
  StepPlan plan;
  plan.barrier = true;
  plan.rounds = reduce_rounds(edges_of(collective, group), height_of(group.size()),
                              collective.size / (2.0 * chunks), chunks);
  if (collective.kind == CollectiveKind::Reduce)
    return plan;
  std::vector<Round> down = broadcast_rounds(plan.rounds);
  if (collective.kind == CollectiveKind::Broadcast)
    plan.rounds.clear();
  plan.rounds.insert(plan.rounds.end(), down.begin(), down.end());
  return plan;
}

}  // namespace stepcast::tree
