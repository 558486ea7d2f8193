#include <algorithm>

#include "models/collective/algorithms.hpp"
#include "models/collective/group_shape.hpp"
#include "models/collective/links.hpp"

// Pairwise exchange: in round i rank r sends M/P to rank (r + i) mod P. Every round waits for the
// whole round before, so the cost is the sum of the rounds, each as long as the busiest link makes
// it. Exact, but for racks with a start-up of their own: messages that leave the rack start later
// than those they share a NIC with, and the cost is an upper bound, by at most that start-up a
// round.

namespace stepcast::pairwise {
namespace {

Bytes share_of(const Collective& collective, const Group& group) {
  return collective.size / group.size();
}

std::vector<Message> shift(const Group& group, std::uint32_t distance, Bytes size) {
  const std::uint32_t ranks = group.size();
  std::vector<Message> messages;
  messages.reserve(ranks);
  for (std::uint32_t i = 0; i < ranks; ++i)
    messages.push_back({group.ranks[i], group.ranks[(i + distance) % ranks], size});
  return messages;
}

/// O(P).
Seconds cost_of_blocks(const Blocks& blocks, const Cluster& cluster, Bytes share) {
  Seconds total;
  for (std::uint32_t distance = 1; distance < blocks.ranks; ++distance) {
    const Crossing crossing = blocks.shift(distance);
    Seconds round = time_of(link_of(cluster, crossing), share);
    if (crossing.on_nic < blocks.per_node)  // Some stay inside their node.
      round = std::max(round, time_of(cluster.intra_node, share));
    total += round;
  }
  return total;
}

/// The bytes from one node to another, spread over `lanes` pairs of ports.
void add_node_pair(std::vector<Message>& flows, const std::vector<std::vector<Rank>>& nodes,
                   std::size_t from, std::size_t to, Bytes share, std::size_t lanes) {
  const std::vector<Rank>& senders = nodes[from];
  const std::vector<Rank>& receivers = nodes[to];
  lanes = std::min({lanes, senders.size(), receivers.size()});
  const Bytes size =
      share * static_cast<double>(senders.size() * receivers.size()) / static_cast<double>(lanes);
  for (std::size_t lane = 0; lane < lanes; ++lane)
    flows.push_back(
        {senders[(to + lane) % senders.size()], receivers[(from + lane) % receivers.size()], size});
}

/// One flow for each pair of nodes if the NICs are what binds; as many as ports if those are
/// slower.
std::vector<Message> node_flows(const Group& group, const Cluster& cluster, Bytes share) {
  const auto nodes = by_node(group, cluster);
  if (nodes.size() == 1)
    return shift(group, 1, share * (group.size() - 1));
  const bool one_lane = cluster.nic.bandwidth <= cluster.intra_node.bandwidth;
  const std::size_t lanes = one_lane ? 1 : cluster.gpus_per_node;
  std::vector<Message> flows;
  flows.reserve(nodes.size() * (nodes.size() - 1) * lanes);
  for (std::size_t from = 0; from < nodes.size(); ++from)
    for (std::size_t to = 0; to < nodes.size(); ++to)
      if (from != to)
        add_node_pair(flows, nodes, from, to, share, lanes);
  return flows;
}

}  // namespace

/// O(P), but O(P^2) for groups that are not whole nodes in a row.
Seconds total_cost(const Collective& collective, const Group& group, const Cluster& cluster) {
  const Bytes share = share_of(collective, group);
  if (const auto blocks = find_blocks(group, cluster))
    return cost_of_blocks(*blocks, cluster, share);
  LinkLoads loads(cluster);
  Seconds total;
  for (std::uint32_t distance = 1; distance < group.size(); ++distance)
    total += loads.round_time(shift(group, distance, share));
  return total;
}

std::vector<Phase> flow_phases(const Collective& collective, const Group& group,
                               const Cluster& cluster) {
  std::vector<Message> messages = node_flows(group, cluster, share_of(collective, group));
  const Seconds transfer = LinkLoads(cluster).transfer_time(messages);
  return {phase_of(std::move(messages), total_cost(collective, group, cluster), transfer)};
}

StepPlan step_plan(const Collective& collective, const Group& group) {
  StepPlan plan;
  plan.barrier = true;
  for (std::uint32_t distance = 1; distance < group.size(); ++distance)
    plan.rounds.push_back({shift(group, distance, share_of(collective, group))});
  return plan;
}

}  // namespace stepcast::pairwise
