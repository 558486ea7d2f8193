#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/collective/algorithms.hpp"
#include "models/collective/group_shape.hpp"

// Star over n nodes of g members, as workers talk to a parameter server. Reduce (a push): a ring
// reduce-scatter inside each node leaves every member with M/g; every member sends that to the
// member of its position on the root's node, which ends up with the sum in g parts. Broadcast (a
// pull): the same backwards. The root's NIC passes (n-1) M, every other NIC passes M.
//
// All messages of a phase are of one size and share the root's links alike, so the cost is exact;
// an upper bound where some cross a rack uplink with a start-up of its own.

namespace stepcast::star {
namespace {

std::vector<std::vector<Rank>> equal_nodes_of(const Group& group, const Cluster& cluster) {
  auto nodes = by_node(group, cluster);
  for (const std::vector<Rank>& node : nodes)
    if (node.size() != nodes.front().size())
      throw InputError(
          fmt::format("star: expected the same number of ranks on every node of the group, found "
                      "{} on node {} and {} on node {}",
                      nodes.front().size(), node_of(cluster, nodes.front().front()), node.size(),
                      node_of(cluster, node.front())));
  return nodes;
}

Round inside_nodes(const std::vector<std::vector<Rank>>& nodes, Bytes share) {
  Round round{.messages = {}, .repeat = static_cast<std::uint32_t>(nodes.front().size()) - 1};
  for (const std::vector<Rank>& node : nodes) {
    const std::vector<Message> edges = ring::edges_of(Group{node}, share);
    round.messages.insert(round.messages.end(), edges.begin(), edges.end());
  }
  return round;
}

Round with_root(const std::vector<std::vector<Rank>>& nodes, const std::vector<Rank>& root,
                Bytes share, bool towards) {
  Round round;
  for (const std::vector<Rank>& node : nodes)
    for (std::size_t i = 0; i < node.size() && node != root; ++i)
      round.messages.push_back(towards ? Message{node[i], root[i], share}
                                       : Message{root[i], node[i], share});
  return round;
}

}  // namespace

StepPlan step_plan(const Collective& collective, const Group& group, const Cluster& cluster) {
  const auto nodes = equal_nodes_of(group, cluster);
  const bool towards = collective.kind == CollectiveKind::Reduce;
  const Bytes share = collective.size / static_cast<double>(nodes.front().size());
  const auto root = std::ranges::find_if(nodes, [&](const std::vector<Rank>& node) {
    return std::ranges::find(node, group.ranks[collective.root]) != node.end();
  });
  StepPlan plan{.rounds = {inside_nodes(nodes, share), with_root(nodes, *root, share, towards)},
                .barrier = true};
  if (!towards)
    std::swap(plan.rounds[0], plan.rounds[1]);
  std::erase_if(plan.rounds,
                [](const Round& round) { return round.messages.empty() || round.repeat == 0; });
  return plan;
}

}  // namespace stepcast::star
