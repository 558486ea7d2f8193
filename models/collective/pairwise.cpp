#include <algorithm>
#include <utility>

#include "models/collective/algorithms.hpp"
#include "models/collective/group_shape.hpp"
#include "models/collective/links.hpp"

// Pairwise exchange: in round i rank r sends M/P to rank (r + i) mod P; with unequal shares, that
// rank's share of M. Every round waits for the
// whole round before, so the cost is the sum of the rounds, each as long as the busiest link makes
// it. Exact, but for racks with a start-up of their own: messages that leave the rack start later
// than those they share a NIC with, and the cost is an upper bound, by at most that start-up a
// round. With unequal shares a round takes the largest start-up and what the busiest link needs:
// exact with one GPU a node.
//
// Flows: up to 16 nodes (or with racks) one for each pair of nodes. Beyond that a flow for each
// pair would cost O(nodes^2) flows of which each end re-solves the shares of all others; then every
// node sends to as few nodes as possible, such that each NIC still carries exactly its bytes.

namespace stepcast::pairwise {
namespace {

constexpr std::size_t kMostNodesInPairs = 16;

/// What each member receives from every other.
std::vector<Message> shift(const Group& group, std::uint32_t distance,
                           const std::vector<Bytes>& parts) {
  const std::uint32_t ranks = group.size();
  std::vector<Message> messages;
  messages.reserve(ranks);
  for (std::uint32_t i = 0; i < ranks; ++i) {
    const std::uint32_t to = (i + distance) % ranks;
    messages.push_back({group.ranks[i], group.ranks[to], parts[to]});
  }
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

/// The members of one node, and what all of them together receive from any one sender.
struct Node {
  std::vector<Rank> ranks;
  Bytes received{};
};

std::vector<Node> nodes_of(const Group& group, const Cluster& cluster,
                           const std::vector<Bytes>& parts) {
  std::vector<Node> nodes;
  for (std::vector<Rank>& ranks : by_node(group, cluster))
    nodes.push_back({.ranks = std::move(ranks)});
  std::vector<std::size_t> index(cluster.nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    index[node_of(cluster, nodes[i].ranks.front())] = i;
  for (std::uint32_t member = 0; member < group.size(); ++member)
    nodes[index[node_of(cluster, group.ranks[member])]].received += parts[member];
  return nodes;
}

/// The bytes from one node to another, spread over `lanes` pairs of ports.
void add_node_pair(std::vector<Message>& flows, const std::vector<Node>& nodes, std::size_t from,
                   std::size_t to, Bytes bytes, std::size_t lanes) {
  const std::vector<Rank>& senders = nodes[from].ranks;
  const std::vector<Rank>& receivers = nodes[to].ranks;
  lanes = std::min({lanes, senders.size(), receivers.size()});
  const Bytes size = bytes / static_cast<double>(lanes);
  for (std::size_t lane = 0; lane < lanes; ++lane)
    flows.push_back(
        {senders[(to + lane) % senders.size()], receivers[(from + lane) % receivers.size()], size});
}

/// One flow for each pair of nodes if the NICs are what binds; as many as ports if those are
/// slower.
std::vector<Message> flows_of_pairs(const std::vector<Node>& nodes, std::size_t lanes) {
  std::vector<Message> flows;
  flows.reserve(nodes.size() * (nodes.size() - 1) * lanes);
  for (std::size_t from = 0; from < nodes.size(); ++from)
    for (std::size_t to = 0; to < nodes.size(); ++to)
      if (from != to)
        add_node_pair(flows, nodes, from, to,
                      nodes[to].received * static_cast<double>(nodes[from].ranks.size()), lanes);
  return flows;
}

/// What each node still has to send and to receive.
struct Balance {
  std::vector<Bytes> to_send;
  std::vector<Bytes> to_receive;
};

Balance balance_of(const std::vector<Node>& nodes, std::uint32_t members) {
  Bytes total;
  for (const Node& node : nodes)
    total += node.received;
  Balance balance;
  for (const Node& node : nodes) {
    const auto inside = static_cast<double>(node.ranks.size());
    balance.to_send.push_back((total - node.received) * inside);
    balance.to_receive.push_back(node.received * (members - inside));
  }
  return balance;
}

/// The north-west corner rule of transport problems: walks over senders and receivers, the latter
/// half the circle ahead, and gives each pair as much as both still need: fewer than two flows a
/// node. A node never meets itself unless its surroundings need far more or less than the rest;
/// what it then owes itself goes to the next.
std::vector<Message> flows_of_few(const std::vector<Node>& nodes, std::uint32_t members,
                                  std::size_t lanes) {
  constexpr double kRounding = 1e-9;
  auto [to_send, to_receive] = balance_of(nodes, members);
  const std::size_t count = nodes.size();
  std::vector<Message> flows;
  for (std::size_t from = 0, step = 0; from < count && step < count;) {
    const std::size_t to = (step + count / 2) % count;
    const Bytes least = std::min(to_send[from], to_receive[to]);
    if (least > Bytes{1.0})
      add_node_pair(flows, nodes, from, from == to ? (to + 1) % count : to, least, lanes);
    to_send[from] -= least;
    to_receive[to] -= least;
    const bool sent = to_send[from] <= least * kRounding;
    step += to_receive[to] <= least * kRounding ? 1 : 0;
    from += sent ? 1 : 0;
  }
  return flows;
}

/// Inside one node: everything a member receives, from the one before it.
std::vector<Message> ring_of_parts(const Group& group, const std::vector<Bytes>& parts) {
  std::vector<Message> flows = shift(group, 1, parts);
  for (Message& flow : flows)
    flow.size = flow.size * (group.size() - 1);
  return flows;
}

std::vector<Message> node_flows(const Group& group, const Cluster& cluster,
                                const std::vector<Bytes>& parts) {
  const std::vector<Node> nodes = nodes_of(group, cluster, parts);
  if (nodes.size() == 1)
    return ring_of_parts(group, parts);
  const bool one_lane = node_link(cluster).bandwidth <= cluster.intra_node.bandwidth;
  const std::size_t lanes = one_lane ? 1 : cluster.gpus_per_node;
  if (nodes.size() <= kMostNodesInPairs || cluster.rack)
    return flows_of_pairs(nodes, lanes);
  return flows_of_few(nodes, group.size(), lanes);
}

/// Of parts of different sizes: see the top.
Seconds uneven_round_time(LinkLoads& loads, const Cluster& cluster,
                          const std::vector<Message>& messages) {
  Seconds startup;
  for (const Message& message : messages)
    startup = std::max(startup, startup_of(cluster, message.from, message.to));
  return startup + loads.transfer_time(messages);
}

}  // namespace

/// O(P), but O(P^2) for groups that are not whole nodes in a row and for unequal shares.
Seconds total_cost(const Collective& collective, const Group& group, const Cluster& cluster) {
  const std::vector<Bytes> parts = parts_of(collective, group.size());
  const bool even = collective.shares.empty();
  if (const auto blocks = find_blocks(group, cluster); blocks && even)
    return cost_of_blocks(*blocks, cluster, parts.front());
  LinkLoads loads(cluster);
  Seconds total;
  for (std::uint32_t distance = 1; distance < group.size(); ++distance) {
    const std::vector<Message> round = shift(group, distance, parts);
    total += even ? loads.round_time(round) : uneven_round_time(loads, cluster, round);
  }
  return total;
}

std::vector<Phase> flow_phases(const Collective& collective, const Group& group,
                               const Cluster& cluster) {
  std::vector<Message> messages = node_flows(group, cluster, parts_of(collective, group.size()));
  const Seconds transfer = LinkLoads(cluster).transfer_time(messages);
  return {phase_of(std::move(messages), total_cost(collective, group, cluster), transfer)};
}

StepPlan step_plan(const Collective& collective, const Group& group) {
  const std::vector<Bytes> parts = parts_of(collective, group.size());
  StepPlan plan;
  plan.barrier = true;
  for (std::uint32_t distance = 1; distance < group.size(); ++distance) {
    plan.rounds.push_back({shift(group, distance, parts)});
    std::erase_if(plan.rounds.back().messages,
                  [](const Message& message) { return message.size <= Bytes{}; });
  }
  return plan;
}

}  // namespace stepcast::pairwise
