#include "models/schedule/replicas.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/index.hpp"

namespace stepcast {

Cluster replica_cluster(const Cluster& cluster, const Team& replicas) {
  const std::vector<Rank>& ranks = replicas.groups.front().ranks;
  const auto in_node = [&](Rank rank) {
    return node_of(cluster, rank) == node_of(cluster, ranks.front());
  };
  const auto together = static_cast<std::uint32_t>(std::ranges::count_if(ranks, in_node));
  const auto count = static_cast<std::uint32_t>(ranks.size());
  Cluster apart = cluster;
  apart.gpus_per_node = count % together == 0 ? together : 1;
  apart.nodes = count / apart.gpus_per_node;
  apart.nic.bandwidth = cluster.nic.bandwidth * (1.0 * apart.gpus_per_node / cluster.gpus_per_node);
  return apart;
}

Team team_of_replicas(const Team& replicas, const Team& positions) {
  Team team;
  for (const Group& group : replicas.groups)
    for (const Group& of : positions.groups) {
      Group& ranks = team.groups.emplace_back();
      for (const Rank position : of.ranks)
        ranks.ranks.push_back(group.ranks[position]);
    }
  return team;
}

Team model_replicas(const Cluster& cluster, std::uint32_t group) {
  if (cluster.gpus_per_node % group != 0)
    throw InputError(fmt::format(
        "expected nodes of a multiple of {} GPUs, which share the model as it was recorded, found "
        "{} of {}",
        group, cluster.name, cluster.gpus_per_node));
  Team replicas;
  replicas.groups.resize(group);
  for (Rank rank = 0; rank < cluster.ranks(); ++rank)
    replicas.groups[rank % group].ranks.push_back(rank);
  return replicas;
}

Plan plan_over_replicas(Plan plan, const Team& replicas) {
  const auto ranks = static_cast<std::uint32_t>(replicas.groups.size()) * replicas.group_size();
  std::vector<Team> teams{Team{}};
  teams.front().groups.resize(1);
  for (Rank rank = 0; rank < ranks; ++rank)
    teams.front().groups.front().ranks.push_back(rank);
  for (const Team& team : plan.teams)  // the first: those of one group of replicas
    teams.push_back(team_of_replicas(replicas, team));
  std::vector<Task> tasks(plan.graph.tasks().begin(), plan.graph.tasks().end());
  for (Task& task : tasks)
    if (task.team > 0 || task.kind == TaskKind::Communication)
      ++task.team;
  plan.graph = TaskGraph(std::move(tasks), plan.graph.edges());
  plan.teams = std::move(teams);
  return plan;
}

}  // namespace stepcast
