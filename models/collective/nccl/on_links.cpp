#include "models/collective/nccl/on_links.hpp"

#include "models/collective/group_shape.hpp"
#include "models/collective/links.hpp"
#include "models/collective/nccl/tuner.hpp"

namespace stepcast::nccl {
namespace {

constexpr BytesPerSecond kPcie4{32e9};

std::uint32_t nodes_of(const Group& group, const Cluster& cluster) {
  if (const auto blocks = find_blocks(group, cluster))
    return blocks->ranks / blocks->per_node;
  return static_cast<std::uint32_t>(by_node(group, cluster).size());
}

Communicator communicator_of(const Group& group, const Cluster& cluster) {
  return {.ranks = group.size(),
          .nodes = nodes_of(group, cluster),
          .inside = cluster.intra_node.bandwidth > kPcie4 ? NodePath::NvLink : NodePath::Pcie,
          .bandwidth = link_of(cluster, reach_of(group, cluster)).bandwidth};
}

}  // namespace

Collective resolved(Collective collective, const Group& group, const Cluster& cluster) {
  const Choice choice = choose(communicator_of(group, cluster), collective.size);
  collective.algorithm =
      choice.shape == Shape::Ring ? Algorithm::Ring : Algorithm::DoubleBinaryTree;
  collective.size = collective.size * overhead(choice.protocol);
  return collective;
}

}  // namespace stepcast::nccl
