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
// of a node apart, a ring over whole nodes leaves them by one GPU, racks), all flows are simulated.

namespace stepcast {
namespace {

Cluster one_node_for_each(const Cluster& cluster, std::uint32_t roles) {
  Cluster folded{.name = cluster.name, .nodes = roles, .gpus_per_node = 1};
  folded.intra_node = cluster.intra_node;
  folded.nic.bandwidth = cluster.nic.bandwidth / cluster.gpus_per_node;
  return folded;
}

}  // namespace

FoldedNodes::FoldedNodes(const Cluster& cluster, std::vector<std::uint32_t> role_of_node)
    : role_of_node_(std::move(role_of_node)), cluster_(cluster) {
  if (role_of_node_.empty())
    return;
  gpus_of_role_.resize(std::ranges::max(role_of_node_) + std::size_t{1});
  for (const std::uint32_t role : role_of_node_)
    gpus_of_role_[role] += cluster.gpus_per_node;
  folded_ = one_node_for_each(cluster, static_cast<std::uint32_t>(gpus_of_role_.size()));
}

std::vector<FoldedNodes::Flow> FoldedNodes::folded(const std::vector<Message>& messages) const {
  std::map<std::tuple<Rank, Rank, bool, double>, double> counts;
  for (const Message& message : messages) {
    const std::uint32_t from = node_of(cluster_, message.from);
    const std::uint32_t to = node_of(cluster_, message.to);
    ++counts[{role_of_node_[from], role_of_node_[to], from != to, message.size.value}];
  }
  std::vector<Flow> flows;
  for (const auto& [kind, count] : counts) {
    const auto& [from, to, leaves, size] = kind;
    for (auto left = std::lround(count / gpus_of_role_[from]); left > 0; --left)
      flows.push_back({.from = from, .to = to, .leaves_node = leaves, .size = Bytes{size}});
  }
  return flows;
}

}  // namespace stepcast
