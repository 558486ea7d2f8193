#include <algorithm>
#include <utility>

#include "models/collective/algorithms.hpp"
#include "models/collective/group_shape.hpp"
#include "models/collective/links.hpp"

// Ring (Patarasuk and Yuan 2009). The buffer is cut into P chunks; in each of P-1 rounds (2(P-1)
// for an all-reduce) every rank sends one chunk to its successor.
//
// Fast and slow edges mix, yet the whole takes exactly rounds * slowest edge. With t(e) the time of
// edge e, its message of round i is through at D(e, i) = t(e) + max(D(e, i-1), D(e-1, i-1)): the
// sender must have sent and received in round i-1. So D(e, i) is the longest path back that at each
// round stays at an edge or goes to the one before; no path is longer than the one that stays at
// the slowest edge. Fast edges only gather slack. Should several edges share a NIC or an uplink
// with others that do not, their start-ups may hide behind each other and the cost is an upper
// bound; rings over consecutive ranks have one edge for each direction of a link, and are exact.

namespace stepcast::ring {
namespace {

Bytes chunk_of(const Collective& collective, const Group& group) {
  return collective.size / group.size();
}

bool has_edge_inside_node(const Group& consecutive, const Cluster& cluster) {
  if (cluster.gpus_per_node == 1)
    return false;
  return consecutive.size() > 2 ||
         node_of(cluster, consecutive.ranks.front()) == node_of(cluster, consecutive.ranks.back());
}

Seconds slowest_edge(const Group& group, const Cluster& cluster, Bytes chunk) {
  if (!is_consecutive(group))
    return LinkLoads(cluster).round_time(edges_of(group, chunk));
  const Seconds longest = time_of(link_of(cluster, reach_of(group, cluster)), chunk);
  if (!has_edge_inside_node(group, cluster))
    return longest;
  return std::max(longest, time_of(cluster.intra_node, chunk));
}

}  // namespace

std::uint32_t round_count(CollectiveKind kind, std::uint32_t ranks) {
  return (kind == CollectiveKind::AllReduce ? 2 : 1) * (ranks - 1);
}

std::vector<Message> edges_of(const Group& group, Bytes size) {
  std::vector<Message> edges;
  edges.reserve(group.size());
  for (std::uint32_t i = 0; i + 1 < group.size(); ++i)
    edges.push_back({group.ranks[i], group.ranks[i + 1], size});
  edges.push_back({group.ranks.back(), group.ranks.front(), size});
  return edges;
}

Seconds total_cost(const Collective& collective, const Group& group, const Cluster& cluster) {
  if (!collective.shares.empty())
    return total_cost_of_parts(collective, group, cluster);
  return slowest_edge(group, cluster, chunk_of(collective, group)) *
         round_count(collective.kind, group.size());
}

std::vector<Phase> flow_phases(const Collective& collective, const Group& group,
                               const Cluster& cluster) {
  if (!collective.shares.empty())
    return flow_phases_of_parts(collective, group, cluster);
  const Bytes volume = chunk_of(collective, group) * round_count(collective.kind, group.size());
  std::vector<Message> messages = crossing_or_all(edges_of(group, volume), cluster);
  const Seconds transfer = is_consecutive(group)
                               ? volume / link_of(cluster, reach_of(group, cluster)).bandwidth
                               : LinkLoads(cluster).transfer_time(messages);
  return {phase_of(std::move(messages), total_cost(collective, group, cluster), transfer)};
}

StepPlan step_plan(const Collective& collective, const Group& group) {
  if (!collective.shares.empty())
    return step_plan_of_parts(collective, group);
  return {
      {{edges_of(group, chunk_of(collective, group)), round_count(collective.kind, group.size())}}};
}

}  // namespace stepcast::ring
