#include <algorithm>

#include "models/collective/collective.hpp"
#include "sim/jobs/diagnose/diagnosis_parts.hpp"

namespace stepcast {

void add_cluster_bandwidths(Cluster cluster, Diagnosis& diagnosis) {
  const std::uint32_t each = cluster.gpus_per_node;
  cluster.nodes = std::max(cluster.nodes, (diagnosis.gpus + each - 1) / each);
  diagnosis.cluster = cluster.name;
  for (MeetingCost& cost : diagnosis.meetings) {
    if (!cost.collective || !cost.bus_bandwidth)
      continue;
    Group group;
    for (const std::uint32_t rank : cost.ranks)
      group.ranks.push_back(diagnosis.ranks[rank].number);
    if (cost.joins == diagnosis.gpus && group.size() < diagnosis.gpus) {
      group.ranks.clear();
      for (Rank rank = 0; rank < diagnosis.gpus; ++rank)
        group.ranks.push_back(rank);
    }
    const auto outside = [&](Rank rank) { return rank >= cluster.ranks(); };
    if (group.size() != cost.joins || std::ranges::any_of(group.ranks, outside))
      continue;
    const Collective collective{.kind = *cost.collective,
                                .algorithm = default_algorithm(*cost.collective),
                                .size = cost.size};
    const Seconds time = cost_of(collective, group, cluster);
    if (time > Seconds{})
      cost.cluster_bandwidth = cost.size / time * bus_factor(*cost.collective, cost.joins);
  }
}

}  // namespace stepcast
