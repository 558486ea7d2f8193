#include "models/collective/collective.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/collective/algorithms.hpp"
#include "models/collective/group_shape.hpp"
#include "models/collective/measured_curve.hpp"
#include "models/collective/nccl/on_links.hpp"
#include "models/collective/rounds.hpp"

namespace stepcast {
namespace {

bool is_scatter_gather(CollectiveKind kind) {
  return kind == CollectiveKind::AllReduce || kind == CollectiveKind::ReduceScatter ||
         kind == CollectiveKind::AllGather;
}

std::string names_for(CollectiveKind kind) {
  std::string names;
  for (const Algorithm algorithm : algorithms_for(kind))
    names += (names.empty() ? "" : ", ") + std::string(name_of(algorithm));
  return names;
}

void require_support(const Collective& collective) {
  if (!supports(collective.algorithm, collective.kind))
    throw InputError(fmt::format("collective: expected an algorithm for {} ({}), found {}",
                                 name_of(collective.kind), names_for(collective.kind),
                                 name_of(collective.algorithm)));
}

bool takes_shares(const Collective& collective) {
  return (collective.kind == CollectiveKind::AllGather &&
          collective.algorithm == Algorithm::Ring) ||
         collective.kind == CollectiveKind::AllToAll;
}

void require_usable_shares(const Collective& collective, const Group& group) {
  const std::vector<double>& shares = collective.shares;
  if (shares.empty())
    return;
  if (!takes_shares(collective))
    throw InputError(fmt::format(
        "collective: expected equal parts, as {} {} has no other; only the ring all-gather and the "
        "pairwise all-to-all take unequal ones",
        name_of(collective.algorithm), name_of(collective.kind)));
  if (shares.size() != group.size())
    throw InputError(fmt::format("collective: expected {} parts, one for each member, found {}",
                                 group.size(), shares.size()));
  const bool valid = std::ranges::all_of(shares, [](double share) { return share >= 0; });
  if (!valid || std::accumulate(shares.begin(), shares.end(), 0.0) <= 0)
    throw InputError("collective: expected parts of at least 0, and one of them above 0");
}

/// Throws InputError for a collective that cannot be; false if there is nothing to move.
bool moves(const Collective& collective, const Group& group) {
  require_support(collective);
  require_usable_shares(collective, group);
  if (is_rooted(collective.kind) && collective.root >= group.size())
    throw InputError(
        fmt::format("collective: expected a root below {} (the group's size), found {}",
                    group.size(), collective.root));
  return group.size() > 1 && collective.size > Bytes{};
}

Seconds closed_form_cost(const Collective& collective, const Group& group, const Cluster& cluster) {
  switch (collective.algorithm) {
    case Algorithm::Ring:
      return ring::total_cost(collective, group, cluster);
    case Algorithm::HierarchicalRing:
      return hierarchical::total_cost(collective, group, cluster);
    case Algorithm::DoubleBinaryTree:
      return tree::total_cost(collective, group, cluster);
    case Algorithm::HalvingDoubling:
      return halving_doubling::total_cost(collective, group, cluster);
    case Algorithm::Pairwise:
      return pairwise::total_cost(collective, group, cluster);
    case Algorithm::Chain:
      return chain::total_cost(collective, group, cluster);
    case Algorithm::Star:
    case Algorithm::BinomialTree:
    case Algorithm::Direct:
      return cost_of_rounds(steps_of(collective, group, cluster).rounds, cluster);
    case Algorithm::Nccl:
      return closed_form_cost(nccl::resolved(collective, group, cluster), group, cluster);
  }
  assert(false);
  return {};
}

}  // namespace

bool is_rooted(CollectiveKind kind) {
  return kind == CollectiveKind::Broadcast || kind == CollectiveKind::Reduce;
}

Algorithm default_algorithm(CollectiveKind kind) {
  if (kind == CollectiveKind::AllToAll)
    return Algorithm::Pairwise;
  if (kind == CollectiveKind::Send)
    return Algorithm::Direct;
  return is_rooted(kind) ? Algorithm::Chain : Algorithm::Ring;
}

std::vector<Bytes> parts_of(const Collective& collective, std::uint32_t ranks) {
  std::vector<Bytes> parts(ranks, collective.size / ranks);
  const std::vector<double>& shares = collective.shares;
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (std::size_t member = 0; member < shares.size(); ++member)
    parts[member] = collective.size * (shares[member] / sum);
  return parts;
}

bool supports(Algorithm algorithm, CollectiveKind kind) {
  switch (algorithm) {
    case Algorithm::Ring:
    case Algorithm::HierarchicalRing:
    case Algorithm::HalvingDoubling:
      return is_scatter_gather(kind);
    case Algorithm::DoubleBinaryTree:
      return kind == CollectiveKind::AllReduce || is_rooted(kind);
    case Algorithm::Pairwise:
      return kind == CollectiveKind::AllToAll;
    case Algorithm::Chain:
    case Algorithm::Star:
    case Algorithm::BinomialTree:
      return is_rooted(kind);
    case Algorithm::Direct:
      return kind == CollectiveKind::Send;
    case Algorithm::Nccl:
      return kind == CollectiveKind::AllReduce;
  }
  assert(false);
  return false;
}

std::vector<Algorithm> algorithms_for(CollectiveKind kind) {
  std::vector<Algorithm> algorithms;
  for (const Algorithm algorithm : all_algorithms())
    if (algorithm != Algorithm::Star && supports(algorithm, kind))
      algorithms.push_back(algorithm);
  return algorithms;
}

std::vector<Phase> closed_form_flows_of(const Collective& collective, const Group& group,
                                        const Cluster& cluster) {
  if (!moves(collective, group))
    return {};
  switch (collective.algorithm) {
    case Algorithm::Ring:
      return ring::flow_phases(collective, group, cluster);
    case Algorithm::HierarchicalRing:
      return hierarchical::flow_phases(collective, group, cluster);
    case Algorithm::DoubleBinaryTree:
      return tree::flow_phases(collective, group, cluster);
    case Algorithm::HalvingDoubling:
      return halving_doubling::flow_phases(collective, group, cluster);
    case Algorithm::Pairwise:
      return pairwise::flow_phases(collective, group, cluster);
    case Algorithm::Chain:
      return chain::flow_phases(collective, group, cluster);
    case Algorithm::Star:
    case Algorithm::BinomialTree:
    case Algorithm::Direct:
      return phases_of_rounds(steps_of(collective, group, cluster).rounds, cluster);
    case Algorithm::Nccl:
      return closed_form_flows_of(nccl::resolved(collective, group, cluster), group, cluster);
  }
  assert(false);
  return {};
}

Seconds cost_of(const Collective& collective, const Group& group, const Cluster& cluster) {
  if (!moves(collective, group))
    return {};
  if (const auto measured = find_measured_time(collective, group, cluster))
    return measured->time;
  return closed_form_cost(collective, group, cluster);
}

Seconds launch_of(const Collective& collective, const Group& group, const Cluster& cluster) {
  const Software& software = cluster.software;
  const bool point_to_point =
      collective.kind == CollectiveKind::AllToAll || collective.kind == CollectiveKind::Send;
  const bool between_nodes = point_to_point && software.point_to_point_launch > Seconds{} &&
                             reach_of(group, cluster).on_nic != 0;
  return software.collective_launch + (between_nodes ? software.point_to_point_launch : Seconds{});
}

std::vector<Phase> edge_flows_of(const Collective& collective, const Group& group,
                                 const Cluster& cluster) {
  std::vector<Phase> phases = closed_form_flows_of(collective, group, cluster);
  if (phases.empty())
    return phases;
  const auto measured = find_measured_time(collective, group, cluster);
  return measured ? scaled_to(std::move(phases), closed_form_cost(collective, group, cluster),
                              measured->time)
                  : phases;
}

StepPlan steps_of(const Collective& collective, const Group& group, const Cluster& cluster) {
  if (!moves(collective, group))
    return {};
  switch (collective.algorithm) {
    case Algorithm::Ring:
      return ring::step_plan(collective, group);
    case Algorithm::HierarchicalRing:
      return hierarchical::step_plan(collective, group, cluster);
    case Algorithm::DoubleBinaryTree:
      return tree::step_plan(collective, group, cluster);
    case Algorithm::HalvingDoubling:
      return halving_doubling::step_plan(collective, group);
    case Algorithm::Pairwise:
      return pairwise::step_plan(collective, group);
    case Algorithm::Chain:
      return chain::step_plan(collective, group);
    case Algorithm::Star:
      return star::step_plan(collective, group, cluster);
    case Algorithm::BinomialTree:
      return binomial::step_plan(collective, group);
    case Algorithm::Direct:
      return direct::step_plan(collective, group);
    case Algorithm::Nccl:
      return steps_of(nccl::resolved(collective, group, cluster), group, cluster);
  }
  assert(false);
  return {};
}

Bytes sent_per_rank(const Collective& collective, std::uint32_t ranks) {
  require_support(collective);
  if (ranks <= 1)
    return {};
  if (collective.algorithm == Algorithm::HalvingDoubling)
    return halving_doubling::sent_per_rank(collective, ranks);
  if (collective.kind == CollectiveKind::Send)
    return collective.size * (static_cast<double>(ranks / 2) / ranks);
  // The others send every byte as often as it must move, on average over the group.
  const double passes = collective.kind == CollectiveKind::AllReduce ? 2 : 1;
  return collective.size * (passes * (ranks - 1) / ranks);
}

double bus_factor(CollectiveKind kind, std::uint32_t ranks) {
  const double others = ranks == 0 ? 0 : (ranks - 1.0) / ranks;
  switch (kind) {
    case CollectiveKind::AllReduce:
      return 2 * others;
    case CollectiveKind::ReduceScatter:
    case CollectiveKind::AllGather:
    case CollectiveKind::AllToAll:
      return others;
    case CollectiveKind::Broadcast:
    case CollectiveKind::Reduce:
    case CollectiveKind::Send:
      return 1;
  }
  assert(false);
  return 0;
}

}  // namespace stepcast
