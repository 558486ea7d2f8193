#include "sim/engine/network/cluster_links.hpp"

#include <algorithm>

namespace stepcast {

ClusterLinks::ClusterLinks(const Cluster& cluster)
    : first_nic_(2 * cluster.ranks()),
      first_uplink_(first_nic_ + 2 * cluster.nodes),
      nodes_(cluster.nodes),
      racks_(cluster.rack ? (cluster.nodes + cluster.rack->nodes - 1) / cluster.rack->nodes : 0) {
  for (Rank rank = 0; rank < cluster.ranks(); ++rank)
    node_of_rank_.push_back(node_of(cluster, rank));
  for (std::uint32_t node = 0; node < nodes_; ++node)
    rack_of_node_.push_back(rack_of(cluster, node * cluster.gpus_per_node));
  bandwidths_.assign(first_uplink_ + 2 * racks_, cluster.intra_node.bandwidth.value);
  std::fill(bandwidths_.begin() + first_nic_, bandwidths_.end(),
            node_link(cluster).bandwidth.value);
  if (cluster.rack)
    std::fill(bandwidths_.begin() + first_uplink_, bandwidths_.end(),
              uplink_bandwidth(cluster).value);
}

std::uint32_t ClusterLinks::kind(LinkId link) const {
  if (link < first_nic_)
    return link / ranks();
  if (link < first_uplink_)
    return 2 + (link - first_nic_) / nodes_;
  return 4 + (link - first_uplink_) / racks_;
}

LinkPath ClusterLinks::path(Rank from, Rank to) const {
  const std::uint32_t source = node_of_rank_[from];
  const std::uint32_t target = node_of_rank_[to];
  if (source == target)
    return path(from, to, Distance::Near);
  const bool same_rack = rack_of_node_[source] == rack_of_node_[target];
  return path(from, to, same_rack ? Distance::Far : Distance::Farthest);
}

LinkPath ClusterLinks::path(Rank from, Rank to, Distance distance) const {
  LinkPath path{.links = {from, ranks() + to}, .count = 2};
  if (distance == Distance::Near)
    return path;
  const std::uint32_t source = node_of_rank_[from];
  const std::uint32_t target = node_of_rank_[to];
  path.links[2] = first_nic_ + source;
  path.links[3] = first_nic_ + nodes_ + target;
  path.count = 4;
  if (distance == Distance::Far)
    return path;
  path.links[4] = first_uplink_ + rack_of_node_[source];
  path.links[5] = first_uplink_ + racks_ + rack_of_node_[target];
  path.count = 6;
  return path;
}

}  // namespace stepcast
