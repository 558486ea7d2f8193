#include "models/network/cluster.hpp"

#include <algorithm>
#include <numeric>

namespace stepcast {

Group world_of(const Cluster& cluster) {
  Group world;
  world.ranks.resize(cluster.ranks());
  std::iota(world.ranks.begin(), world.ranks.end(), Rank{0});
  return world;
}

std::uint32_t rack_of(const Cluster& cluster, Rank rank) {
  return cluster.rack ? node_of(cluster, rank) / cluster.rack->nodes : 0;
}

Link node_link(const Cluster& cluster) {
  const BytesPerSecond adapters = cluster.nic.bandwidth * cluster.nics;
  const BytesPerSecond copied = cluster.nic_per_gpu * cluster.gpus_per_node;
  return {copied > BytesPerSecond{} ? std::min(adapters, copied) : adapters, cluster.nic.startup};
}

BytesPerSecond uplink_bandwidth(const Cluster& cluster) {
  return node_link(cluster).bandwidth * cluster.rack->nodes / cluster.rack->oversubscription;
}

double jitter_scale(const Cluster& cluster) {
  const double step = cluster.nodes > 1 ? cluster.software.jitter_between_nodes : 0;
  if (cluster.software.jitter == 0)
    return 1 + step;
  double harmonic = 0;
  for (std::uint32_t rank = 1; rank <= cluster.ranks(); ++rank)
    harmonic += 1.0 / rank;
  return 1 + step + cluster.software.jitter * (harmonic - 1);
}

Seconds startup_of(const Cluster& cluster, Rank from, Rank to) {
  if (node_of(cluster, from) == node_of(cluster, to))
    return cluster.intra_node.startup;
  if (rack_of(cluster, from) == rack_of(cluster, to))
    return cluster.nic.startup;
  return cluster.nic.startup + cluster.rack->startup;
}

}  // namespace stepcast
