#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/collective/algorithms.hpp"
#include "models/collective/group_shape.hpp"
#include "models/collective/links.hpp"
#include "models/collective/rounds.hpp"

// Hierarchical ring over n nodes of g members. All-reduce: a ring reduce-scatter inside each node
// leaves every member with M/g; the members of equal position on the nodes all-reduce that part by
// a ring (g rings at once, sharing the NICs); a ring all-gather inside each node. A reduce-scatter
// is the first part of it down to M/(gn), an all-gather the last part from there.
//
// Exact for the same reason as the flat ring, as the g rings run in step; an upper bound only for
// groups whose node ring sends several edges over one rack uplink and others not.

namespace stepcast::hierarchical {
namespace {

/// Rounds of rings in which every edge carries `chunk`.
struct Stage {
  bool between_nodes = false;
  std::uint32_t rounds = 0;
  Bytes chunk;
};

std::vector<std::vector<Rank>> equal_nodes_of(const Group& group, const Cluster& cluster) {
  auto nodes = by_node(group, cluster);
  for (const std::vector<Rank>& node : nodes)
    if (node.size() != nodes.front().size())
      throw InputError(fmt::format(
          "hierarchical-ring: expected the same number of ranks on every node of the group, found "
          "{} on node {} and {} on node {}",
          nodes.front().size(), node_of(cluster, nodes.front().front()), node.size(),
          node_of(cluster, node.front())));
  return nodes;
}

std::vector<Stage> stages_of(const Collective& collective, std::uint32_t nodes,
                             std::uint32_t per_node) {
  const Bytes part = collective.size / per_node;
  const Stage inside{false, per_node - 1, part};
  const Stage between{true, ring::round_count(collective.kind, nodes), part / nodes};
  std::vector<Stage> stages;
  if (collective.kind != CollectiveKind::AllGather)
    stages.push_back(inside);
  stages.push_back(between);
  if (collective.kind != CollectiveKind::ReduceScatter)
    stages.push_back(inside);
  std::erase_if(stages, [](const Stage& stage) { return stage.rounds == 0; });
  return stages;
}

/// One message for every edge of the rings inside all nodes.
std::vector<Message> inside_edges(const std::vector<std::vector<Rank>>& nodes, Bytes size) {
  std::vector<Message> edges;
  for (const std::vector<Rank>& node : nodes) {
    const std::vector<Message> ring = ring::edges_of(Group{node}, size);
    edges.insert(edges.end(), ring.begin(), ring.end());
  }
  return edges;
}

/// One message for every edge of the rings of equal position.
std::vector<Message> between_edges(const std::vector<std::vector<Rank>>& nodes, Bytes size) {
  std::vector<Message> edges;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::vector<Rank>& next = nodes[(i + 1) % nodes.size()];
    for (std::size_t member = 0; member < next.size(); ++member)
      edges.push_back({nodes[i][member], next[member], size});
  }
  return edges;
}

std::vector<Message> edges_of(const Stage& stage, const std::vector<std::vector<Rank>>& nodes,
                              Bytes size) {
  return stage.between_nodes ? between_edges(nodes, size) : inside_edges(nodes, size);
}

/// Equal nodes in a row have one node edge, of `per_node` messages, on each direction of a link.
Seconds cost_of_blocks(const Collective& collective, const Blocks& blocks, const Cluster& cluster) {
  const Crossing node_edge{blocks.per_node, blocks.per_rack < blocks.ranks ? blocks.per_node : 0};
  Seconds total;
  for (const Stage& stage :
       stages_of(collective, blocks.ranks / blocks.per_node, blocks.per_node)) {
    const Link link = link_of(cluster, stage.between_nodes ? node_edge : Crossing{});
    total += time_of(link, stage.chunk) * stage.rounds;
  }
  return total;
}

}  // namespace

Seconds total_cost(const Collective& collective, const Group& group, const Cluster& cluster) {
  if (const auto blocks = find_blocks(group, cluster))
    return cost_of_blocks(collective, *blocks, cluster);
  return cost_of_rounds(step_plan(collective, group, cluster).rounds, cluster);
}

std::vector<Phase> flow_phases(const Collective& collective, const Group& group,
                               const Cluster& cluster) {
  return phases_of_rounds(step_plan(collective, group, cluster).rounds, cluster);
}

StepPlan step_plan(const Collective& collective, const Group& group, const Cluster& cluster) {
  const auto nodes = equal_nodes_of(group, cluster);
  StepPlan plan;
  for (const Stage& stage : stages_of(collective, static_cast<std::uint32_t>(nodes.size()),
                                      static_cast<std::uint32_t>(nodes.front().size())))
    plan.rounds.push_back({edges_of(stage, nodes, stage.chunk), stage.rounds});
  return plan;
}

}  // namespace stepcast::hierarchical
