#include "sim/engine/folding.hpp"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

// What makes two ranks alike: the straggler factor, then the groups beside the world.
struct Signature {
  double compute_scale = 1;
  std::vector<GroupId> groups;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads a defaulted comparison
  auto operator<=>(const Signature&) const = default;
};

std::vector<double> compute_scales(const Cluster& cluster, const EngineOptions& options) {
  const double jitter = jitter_scale(cluster);
  std::vector<double> scales(cluster.ranks(), jitter);
  for (const auto& [rank, factor] : options.stragglers) {
    if (rank >= scales.size())
      throw InputError(
          fmt::format("straggler.{}: the cluster has ranks 0 to {}", rank, scales.size() - 1));
    scales[rank] = factor * jitter;
  }
  return scales;
}

// Groups beside the world that each rank belongs to; empty if there are none.
std::vector<std::vector<GroupId>> memberships(const Plan& plan, const Cluster& cluster) {
  if (plan.groups.size() <= 1)
    return {};
  std::vector<std::vector<GroupId>> groups(cluster.ranks());
  for (std::size_t group = 1; group < plan.groups.size(); ++group)
    for (const Rank rank : plan.groups[group].ranks) {
      if (rank >= groups.size())
        throw InputError(fmt::format("group {} names rank {}: the cluster has ranks 0 to {}", group,
                                     rank, groups.size() - 1));
      groups[rank].push_back(static_cast<GroupId>(group));
    }
  return groups;
}

void add_rank(Folding& folding, Rank rank, ClassId rank_class, double compute_scale) {
  if (rank_class == folding.classes.size())
    folding.classes.push_back({.representative = rank, .count = 0, .compute_scale = compute_scale});
  ++folding.classes[rank_class].count;
  folding.class_of_rank[rank] = rank_class;
}

void find_members(Folding& folding, const std::vector<std::vector<GroupId>>& groups) {
  for (ClassId id = 0; id < folding.classes.size(); ++id) {
    folding.members[0].push_back(id);
    if (groups.empty())
      continue;
    for (const GroupId group : groups[folding.classes[id].representative])
      folding.members[group].push_back(id);
  }
}

}  // namespace

Folding fold_ranks(const Plan& plan, const Cluster& cluster, const EngineOptions& options) {
  const auto scales = compute_scales(cluster, options);
  const auto groups = memberships(plan, cluster);
  Folding folding;
  folding.class_of_rank.resize(cluster.ranks());
  folding.members.resize(plan.groups.size());
  const bool all_alike = options.fold && groups.empty() && options.stragglers.empty();
  std::map<Signature, ClassId> known;
  for (Rank rank = 0; rank < cluster.ranks(); ++rank) {
    const auto next = static_cast<ClassId>(folding.classes.size());
    ClassId rank_class = next;
    if (all_alike)
      rank_class = 0;
    else if (options.fold)
      rank_class = known
                       .emplace(Signature{scales[rank],
                                          groups.empty() ? std::vector<GroupId>{} : groups[rank]},
                                next)
                       .first->second;
    add_rank(folding, rank, rank_class, scales[rank]);
  }
  find_members(folding, groups);
  return folding;
}

}  // namespace stepcast
