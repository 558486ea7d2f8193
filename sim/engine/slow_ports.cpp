#include "sim/engine/slow_ports.hpp"

#include <algorithm>

namespace stepcast {
namespace {

// Along a ring a port carries one edge, and in an even pairwise exchange no more than its NIC.
bool is_paced_by_slowest(const Collective& collective) {
  return collective.algorithm == Algorithm::Ring ||
         (collective.algorithm == Algorithm::Pairwise && collective.shares.empty());
}

// What moves between nodes moves at the pace of the NICs as long as slow ports carry as much.
bool are_ports_paced_by_nics(const Plan& plan, const Cluster& cluster, const Program& program) {
  const double slower = 1 + cluster.overlap.communication_slowdown;
  if (cluster.intra_node.bandwidth / slower < node_link(cluster).bandwidth)
    return false;
  const auto leaves_its_node = [&](const Group& group) {
    return std::ranges::any_of(group.ranks, [&](Rank rank) {
      return node_of(cluster, rank) != node_of(cluster, group.ranks.front());
    });
  };
  return std::ranges::all_of(program.steps, [&](const ProgramStep& step) {
    return !step.is_communication() ||
           (is_paced_by_slowest(plan.collectives[step.collective].collective) &&
            std::ranges::all_of(plan.teams[step.team].groups, leaves_its_node));
  });
}

}  // namespace

// Collectives without a cost are not disturbed either, and SimGrid's links know no exception; those
// without bytes cross no link.
SlowPorts::SlowPorts(const Plan& plan, const Cluster& cluster, const Program& program,
                     const Folding& folding)
    : share_(1 / (1 + cluster.overlap.communication_slowdown)) {
  const bool is_ideal = std::ranges::any_of(plan.collectives, [](const PlannedCollective& planned) {
    return planned.ideal && planned.collective.size > Bytes{};
  });
  if (cluster.overlap.communication_slowdown <= 0 || is_ideal ||
      are_ports_paced_by_nics(plan, cluster, program))
    return;
  ranks_.resize(folding.classes.size());
  computing_.resize(folding.classes.size());
  told_.resize(folding.classes.size());
  for (Rank rank = 0; rank < folding.class_of_rank.size(); ++rank)
    ranks_[folding.class_of_rank[rank]].push_back(rank);
}

void SlowPorts::change(ClassId rank_class, bool computes, NetworkBackend& network) {
  computing_[rank_class] = computes;
  if (moving_ > 0)
    tell(rank_class, network);
  else
    untold_.push_back(rank_class);
}

void SlowPorts::transfer_begins(NetworkBackend& network) {
  if (moving_++ > 0)
    return;
  for (const ClassId rank_class : untold_)
    tell(rank_class, network);
  untold_.clear();
}

void SlowPorts::tell(ClassId rank_class, NetworkBackend& network) {
  if (told_[rank_class] == computing_[rank_class])
    return;
  told_[rank_class] = computing_[rank_class];
  network.set_ports(ranks_[rank_class], computing_[rank_class] ? share_ : 1);
}

}  // namespace stepcast
