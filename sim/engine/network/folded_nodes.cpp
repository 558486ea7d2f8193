#include "sim/engine/network/folded_nodes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

// Folding of the network. Where the n nodes of a role carry the same flows, and each of their g
// GPUs as many, max-min sharing gives alike flows the same rates; it needs to be computed for one
// of n * g ports only. Its flows cross a NIC together with those of the other g - 1 GPUs of the
// node: a NIC of a g-th of the bandwidth for that one. Nodes of two roles that send to each other
// must be equally many, so that what leaves a port of one is what arrives at a port of the other.
// 1,024 GPUs of tensor, pipeline and data parallelism then move one flow for each stage and
// collective where they would move 64. Where any of this does not hold (a straggler tells the GPUs
// of a node apart, racks), all flows are simulated.
// Collectives of single groups have no roles, but sections (network_section.cpp): those flows move
// that leave it, and arrive where their counterparts from beside the section do. A ring over 10,240
// GPUs then is one flow.

namespace stepcast {
namespace {

Cluster part_of(const Cluster& cluster, std::uint32_t nodes, std::uint32_t gpus) {
  Cluster part{.name = cluster.name, .nodes = nodes, .gpus_per_node = gpus};
  part.intra_node = cluster.intra_node;
  part.nic.bandwidth = node_link(cluster).bandwidth * gpus / cluster.gpus_per_node;
  return part;
}

}  // namespace

FoldedNodes::FoldedNodes(const Cluster& cluster, const Folding& folding)
    : role_of_node_(folding.role_of_node), section_(folding.section), cluster_(cluster) {
  if (section_) {
    folded_ = part_of(cluster, section_->nodes, section_->gpus);
    folded_->rack = cluster.rack;
  }
  if (role_of_node_.empty())
    return;
  gpus_of_role_.resize(std::ranges::max(role_of_node_) + std::size_t{1});
  for (const std::uint32_t role : role_of_node_)
    gpus_of_role_[role] += cluster.gpus_per_node;
  folded_ = part_of(cluster, static_cast<std::uint32_t>(gpus_of_role_.size()), 1);
}

Rank FoldedNodes::port_of(Rank rank) const {
  if (!folded_)
    return rank;
  const std::uint32_t node = node_of(cluster_, rank);
  return section_ ? node % section_->nodes * section_->gpus +
                        rank % cluster_.gpus_per_node % section_->gpus
                  : role_of_node_[node];
}

std::vector<PortFlow> FoldedNodes::folded(const std::vector<Message>& messages) const {
  return section_ ? of_section(messages) : by_roles(messages);
}

std::vector<PortFlow> FoldedNodes::of_section(const std::vector<Message>& messages) const {
  std::vector<PortFlow> flows;
  for (const auto& [from, to, size, follows] : messages)
    if (node_of(cluster_, from) < section_->nodes && from % cluster_.gpus_per_node < section_->gpus)
      flows.push_back({.from = port_of(from),
                       .to = port_of(to),
                       .distance = distance_of(cluster_, from, to),
                       .size = size});
  return flows;
}

std::vector<PortFlow> FoldedNodes::by_roles(const std::vector<Message>& messages) const {
  std::map<std::tuple<Rank, Rank, bool, double>, double> counts;
  for (const Message& message : messages) {
    const std::uint32_t from = node_of(cluster_, message.from);
    const std::uint32_t to = node_of(cluster_, message.to);
    ++counts[{role_of_node_[from], role_of_node_[to], from != to, message.size.value}];
  }
  std::vector<PortFlow> flows;
  for (const auto& [kind, count] : counts) {
    const auto& [from, to, leaves, size] = kind;
    const Distance distance = leaves ? Distance::Far : Distance::Near;
    for (auto left = std::lround(count / gpus_of_role_[from]); left > 0; --left)
      flows.push_back({.from = from, .to = to, .distance = distance, .size = Bytes{size}});
  }
  return flows;
}

}  // namespace stepcast
