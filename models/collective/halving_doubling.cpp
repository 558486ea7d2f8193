#include <algorithm>
#include <bit>
#include <utility>

#include "models/collective/algorithms.hpp"
#include "models/collective/group_shape.hpp"
#include "models/collective/links.hpp"

// Recursive vector halving with distance doubling for a reduce-scatter (in round s every rank swaps
// M/2^(s+1) with the one at distance 2^s), the same backwards for an all-gather, both for an
// all-reduce (Rabenseifner's). The large pieces thus go to near ranks, often inside the node; the
// blocks end up in bit-reversed order, which is of no account to a sharded optimiser.
//
// With P between powers of two, the first 2(P-C) members pair up (C: the power of two below): the
// even one of a pair hands its data to the odd one before, and gets its result after. The C others
// exchange C equal parts. This pre and post step move M and M in an all-reduce, M and M/P in a
// reduce-scatter, M/P and M in an all-gather.
//
// Every round waits for the round before; the cost is the sum of the rounds. Exact, but for racks
// with a start-up of their own and P no power of two: then an upper bound.

namespace stepcast::halving_doubling {
namespace {

/// A round in which every core rank swaps `size` with the one at `distance`.
struct Exchange {
  std::uint32_t distance = 1;
  Bytes size;
};

std::vector<Exchange> halving(Bytes size, std::uint32_t core) {
  std::vector<Exchange> exchanges;
  for (std::uint32_t distance = 1; distance < core; distance *= 2)
    exchanges.push_back({distance, size / (2.0 * distance)});
  return exchanges;
}

std::vector<Exchange> exchanges_of(const Collective& collective, std::uint32_t core) {
  const std::vector<Exchange> there = halving(collective.size, core);
  std::vector<Exchange> all;
  if (collective.kind != CollectiveKind::AllGather)
    all = there;
  if (collective.kind != CollectiveKind::ReduceScatter)
    all.insert(all.end(), there.rbegin(), there.rend());
  return all;
}

Bytes pre_size(const Collective& collective, std::uint32_t ranks) {
  return collective.kind == CollectiveKind::AllGather ? collective.size / ranks : collective.size;
}

Bytes post_size(const Collective& collective, std::uint32_t ranks) {
  return collective.kind == CollectiveKind::ReduceScatter ? collective.size / ranks
                                                          : collective.size;
}

/// The members that take part in the exchanges.
std::vector<Rank> core_of(const Group& group, std::size_t core) {
  const std::size_t pairs = group.size() - core;
  std::vector<Rank> ranks;
  for (std::size_t i = 0; i < core; ++i)
    ranks.push_back(group.ranks[i < pairs ? 2 * i + 1 : i + pairs]);
  return ranks;
}

Round round_of(const std::vector<Rank>& core, const Exchange& exchange) {
  Round round;
  for (std::uint32_t i = 0; i < core.size(); ++i)
    round.messages.push_back({core[i], core[i ^ exchange.distance], exchange.size});
  return round;
}

Round fold_in(const Group& group, std::size_t pairs, Bytes size) {
  Round round;
  for (std::size_t i = 0; i < pairs; ++i)
    round.messages.push_back({group.ranks[2 * i], group.ranks[2 * i + 1], size});
  return round;
}

Round fold_out(const Group& group, std::size_t pairs, Bytes size) {
  Round round = fold_in(group, pairs, size);
  for (Message& message : round.messages)
    std::swap(message.from, message.to);
  return round;
}

/// A distance below the node's size stays inside, one above takes all its members across.
Seconds cost_of_blocks(const Collective& collective, const Blocks& blocks, const Cluster& cluster) {
  Seconds total;
  for (const Exchange& exchange : exchanges_of(collective, blocks.ranks)) {
    Crossing crossing;
    if (exchange.distance >= blocks.per_node)
      crossing.on_nic = blocks.per_node;
    if (exchange.distance >= blocks.per_rack)
      crossing.on_uplink = blocks.per_rack;
    total += time_of(link_of(cluster, crossing), exchange.size);
  }
  return total;
}

}  // namespace

Seconds total_cost(const Collective& collective, const Group& group, const Cluster& cluster) {
  const auto blocks = find_blocks(group, cluster);
  if (blocks && std::has_single_bit(blocks->ranks))
    return cost_of_blocks(collective, *blocks, cluster);
  LinkLoads loads(cluster);
  Seconds total;
  for (const Round& round : step_plan(collective, group).rounds)
    total += loads.round_time(round.messages);
  return total;
}

std::vector<Phase> flow_phases(const Collective& collective, const Group& group,
                               const Cluster& cluster) {
  LinkLoads loads(cluster);
  std::vector<Phase> phases;
  for (Round& round : step_plan(collective, group).rounds) {
    const Seconds cost = loads.round_time(round.messages);
    std::vector<Message> messages = crossing_or_all(std::move(round.messages), cluster);
    const Seconds transfer = loads.transfer_time(messages);
    phases.push_back(phase_of(std::move(messages), cost, transfer));
  }
  return phases;
}

StepPlan step_plan(const Collective& collective, const Group& group) {
  const std::uint32_t ranks = group.size();
  const std::uint32_t core = std::bit_floor(ranks);
  StepPlan plan;
  plan.barrier = true;
  if (ranks != core)
    plan.rounds.push_back(fold_in(group, ranks - core, pre_size(collective, ranks)));
  const std::vector<Rank> members = core_of(group, core);
  for (const Exchange& exchange : exchanges_of(collective, core))
    plan.rounds.push_back(round_of(members, exchange));
  if (ranks != core)
    plan.rounds.push_back(fold_out(group, ranks - core, post_size(collective, ranks)));
  return plan;
}

Bytes sent_per_rank(const Collective& collective, std::uint32_t ranks) {
  const std::uint32_t core = std::bit_floor(ranks);
  Bytes exchanged;
  for (const Exchange& exchange : exchanges_of(collective, core))
    exchanged += exchange.size;
  const Bytes folded = pre_size(collective, ranks) + post_size(collective, ranks);
  return (exchanged * core + folded * (ranks - core)) / ranks;
}

}  // namespace stepcast::halving_doubling
