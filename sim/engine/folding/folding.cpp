#include "sim/engine/folding/folding.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/mix.hpp"
#include "models/graph/colour_refinement.hpp"
#include "sim/engine/folding/roles.hpp"

// Folding. Ranks that keep the same times need to be simulated once. They do if they compute alike
// (slow-down, teams) and every communication of theirs begins and ends alike, which in turn needs
// that those they meet are alike and that its bytes find the same traffic on their links. Such a
// grouping is an equitable partition, and colour refinement finds the coarsest one (roles.cpp) in
// O(ranks x teams + messages) a round. Where no team has more than one group there is nothing to
// refine: every communication is simulated message by message, and ranks in the same groups are
// alike. That, the case of data parallelism, costs O(ranks x groups) and is exact by itself.
// At `flow` that is finer than it has to be: a straggler changes the traffic on its links, so the
// messages that cross these with its own may be faster or slower, so may be those that share other
// links with them, and so on round every ring; mostly nothing comes of it. So a coarser folding, in
// which groups are told by who is in them and not by what their messages meet, is assumed and
// checked: all messages are moved, and as long as alike groups end together, the simulation is that
// of all ranks. Where they do not it begins again, exactly.
// At `analytic`, too, one assumption pays: a collective of all ranks uses some adapters of a node
// and not others, which tells its GPUs apart; a barrier, of a few bytes, is alone on the network,
// and then nobody notices. If it is not, the simulation begins again, exactly. What folding may
// change is the order of events of the same instant. What would depend on it is decided late in the
// instant, when all else has happened (EventQueue::late): what a policy starts next, and what
// Overlap::launch_wait takes for running when a collective is launched.

namespace stepcast {
namespace {

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

void require_ranks(const Plan& plan, const Cluster& cluster) {
  for (std::size_t team = 1; team < plan.teams.size(); ++team)
    for (const Group& group : plan.teams[team].groups)
      for (const Rank rank : group.ranks)
        if (rank >= cluster.ranks())
          throw InputError(fmt::format("group {} names rank {}: the cluster has ranks 0 to {}",
                                       team, rank, cluster.ranks() - 1));
}

// What tells ranks apart to begin with: compute, and the teams beside the world.
std::vector<std::uint64_t> colours_of(const Plan& plan, const EngineOptions& options,
                                      const std::vector<double>& scales) {
  std::vector<std::uint64_t> colours;
  colours.reserve(scales.size());
  for (Rank rank = 0; rank < scales.size(); ++rank)
    colours.push_back(
        mixed(options.slow_down.kind_of(rank), std::bit_cast<std::uint64_t>(scales[rank])));
  for (std::size_t team = 1; team < plan.teams.size(); ++team)
    for (const Group& group : plan.teams[team].groups)
      for (const Rank rank : group.ranks)
        colours[rank] = mixed(colours[rank], team);
  return colours;
}

bool has_families(const Plan& plan) {
  return std::ranges::any_of(plan.teams, [](const Team& team) { return team.groups.size() > 1; });
}

// Of what all ranks do together much is seldom alone: looking would be in vain.
bool has_few_barriers(const Plan& plan, const Cluster& cluster) {
  constexpr std::ptrdiff_t kFew = 4;
  const auto barriers = std::ranges::count_if(plan.graph.tasks(), [&](const Task& task) {
    return task.kind == TaskKind::Communication && is_of_all(plan.teams[task.team], cluster);
  });
  return barriers > 0 && barriers <= kFew;
}

// Every rank and group by itself.
Roles own_roles(const Plan& plan, std::uint32_t ranks) {
  const auto each = [](std::size_t count) {
    std::vector<std::uint32_t> roles(count);
    for (std::size_t i = 0; i < count; ++i)
      roles[i] = static_cast<std::uint32_t>(i);
    return roles;
  };
  Roles roles{.of_rank = each(ranks), .of_group = {}, .of_node = {}};
  for (const Team& team : plan.teams)
    roles.of_group.push_back(each(team.groups.size()));
  return roles;
}

Roles roles_of(const Plan& plan, const Cluster& cluster, const EngineOptions& options,
               const std::vector<double>& scales) {
  if (!options.fold)
    return own_roles(plan, cluster.ranks());
  if (plan.teams.size() == 1 && options.stragglers.empty() && options.slow_down.empty())
    return {
        .of_rank = std::vector<std::uint32_t>(cluster.ranks()), .of_group = {{0}}, .of_node = {}};
  const auto colours = colours_of(plan, options, scales);
  if (has_families(plan))
    return find_roles(plan, cluster, options.fidelity, colours);
  Roles roles = own_roles(plan, 0);
  roles.of_rank = equitable_partition({.colours = colours, .from = {}, .arcs = {}});
  return roles;
}

void add_classes(Folding& folding, const std::vector<double>& scales) {
  for (Rank rank = 0; rank < folding.class_of_rank.size(); ++rank) {
    const ClassId id = folding.class_of_rank[rank];
    if (id == folding.classes.size())
      folding.classes.push_back(
          {.representative = rank, .count = 0, .compute_scale = scales[rank]});
    ++folding.classes[id].count;
  }
}

void sort_and_unite(std::vector<ClassId>& ids) {
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

std::vector<ClassId> classes_of(const Group& group, const Folding& folding) {
  std::vector<ClassId> classes;
  for (const Rank rank : group.ranks)
    if (const ClassId id = folding.class_of_rank[rank]; classes.empty() || classes.back() != id)
      classes.push_back(id);
  sort_and_unite(classes);
  return classes;
}

// The groups of each role as one meeting, in the order of their first groups.
void add_meetings(Folding& folding, TeamId id, const Team& team,
                  const std::vector<std::uint32_t>& roles) {
  const std::size_t first = folding.meetings.size();
  std::vector<MeetingId> meeting_of_role(*std::ranges::max_element(roles) + std::size_t{1}, kNone);
  for (std::uint32_t group = 0; group < team.groups.size(); ++group) {
    MeetingId& meeting = meeting_of_role[roles[group]];
    if (meeting == kNone) {
      meeting = static_cast<MeetingId>(folding.meetings.size());
      folding.meetings.push_back({.team = id, .groups = {}, .members = {}});
      folding.meetings.back().members = classes_of(team.groups[group], folding);
    }
    folding.meetings[meeting].groups.push_back(group);
  }
  std::vector<ClassId>& members = folding.members.emplace_back();
  for (std::size_t i = first; i < folding.meetings.size(); ++i)
    members.insert(members.end(), folding.meetings[i].members.begin(),
                   folding.meetings[i].members.end());
  sort_and_unite(members);
}

void index_teams(Folding& folding) {
  const std::size_t classes = folding.classes.size();
  const std::size_t teams = folding.members.size();
  folding.index = {.classes = static_cast<std::uint32_t>(classes),
                   .index = std::vector<std::uint32_t>(teams * classes, kNone),
                   .members = {}};
  folding.meeting_of.assign(teams * classes, kNone);
  for (std::size_t team = 0; team < teams; ++team) {
    const std::vector<ClassId>& members = folding.members[team];
    folding.index.members.push_back(static_cast<std::uint32_t>(members.size()));
    for (std::uint32_t i = 0; i < members.size(); ++i)
      folding.index.index[team * classes + members[i]] = i;
  }
  for (MeetingId id = 0; id < folding.meetings.size(); ++id)
    for (const ClassId member : folding.meetings[id].members)
      folding.meeting_of[folding.meetings[id].team * classes + member] = id;
}

}  // namespace

namespace {

Folding folding_by(Roles roles, const Plan& plan, const std::vector<double>& scales) {
  Folding folding;
  folding.class_of_rank = std::move(roles.of_rank);
  add_classes(folding, scales);
  for (TeamId team = 0; team < plan.teams.size(); ++team) {
    folding.first_meeting.push_back(static_cast<MeetingId>(folding.meetings.size()));
    add_meetings(folding, team, plan.teams[team], roles.of_group[team]);
  }
  folding.first_meeting.push_back(static_cast<MeetingId>(folding.meetings.size()));
  index_teams(folding);
  folding.role_of_node = roles.of_node;
  return folding;
}

// Groups that a policy of the caller's makes on the spot may tell all nodes apart.
std::optional<NetworkSection> section_of(const Plan& plan, const Cluster& cluster,
                                         const EngineOptions& options, const Folding& folding) {
  if (options.fidelity != Fidelity::Flow || !options.fold || options.policy)
    return std::nullopt;
  const bool ports_change = cluster.overlap.communication_slowdown > 0;
  return find_section(plan, cluster, ports_change ? folding.class_of_rank : std::vector<ClassId>{});
}

}  // namespace

Folding fold_ranks(const Plan& plan, const Cluster& cluster, const EngineOptions& options) {
  require_ranks(plan, cluster);
  const auto scales = compute_scales(cluster, options);
  Folding folding = folding_by(roles_of(plan, cluster, options, scales), plan, scales);
  folding.section = section_of(plan, cluster, options, folding);
  return folding;
}

std::optional<Folding> folding_with_barriers(const Plan& plan, const Cluster& cluster,
                                             const EngineOptions& options) {
  if (options.fidelity != Fidelity::Analytic || !options.fold || !has_families(plan) ||
      !has_few_barriers(plan, cluster))
    return std::nullopt;
  require_ranks(plan, cluster);
  const auto scales = compute_scales(cluster, options);
  const Roles roles = find_roles(plan, cluster, options.fidelity, colours_of(plan, options, scales),
                                 /*barriers_alone=*/true);
  Folding folding = folding_by(roles, plan, scales);
  folding.is_assumed = true;
  return folding;
}

std::optional<Folding> assumed_folding(const Plan& plan, const Cluster& cluster,
                                       const EngineOptions& options, const Folding& exact) {
  if (options.fidelity != Fidelity::Flow || !options.fold || !has_families(plan) ||
      !exact.role_of_node.empty())
    return std::nullopt;
  const auto scales = compute_scales(cluster, options);
  const Roles by_groups =
      find_roles(plan, cluster, Fidelity::Analytic, colours_of(plan, options, scales));
  Folding folding = folding_by(by_groups, plan, scales);
  if (folding.classes.size() >= exact.classes.size())
    return std::nullopt;
  folding.is_assumed = true;
  return folding;
}

}  // namespace stepcast
