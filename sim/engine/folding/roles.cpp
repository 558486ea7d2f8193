#include "sim/engine/folding/roles.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>

#include "models/base/components.hpp"
#include "models/base/index.hpp"
#include "models/base/mix.hpp"
#include "models/collective/group_shape.hpp"
#include "models/graph/colour_refinement.hpp"
#include "sim/engine/folding/crossed_links.hpp"
#include "sim/engine/folding/link_demands.hpp"
#include "sim/engine/folding/patterns.hpp"

// Roles by colour refinement. The vertices are the ranks, the groups of every team that
// communicates, its messages and the links; at `analytic`, which knows no messages, what the group
// wants of each link instead.
// - A rank is told by its groups. Its place in a group does not matter: all ranks of a group begin
//   and end a communication together.
// - A group is told by its ranks, in the order that the collective uses, and by its messages.
// - A message is told by its group (when it starts), its size and the links that it crosses; at
//   `step` also by the seats of its ends, since a rank sends when it has done its round before.
// - A link is told by all the messages that cross it, of every collective of the plan.
// So groups of one role move the same bytes at the same times over links with the same traffic.
// - Where a policy chooses what starts next, its choice depends on all that the ranks of the stream
//   have ready; these count as a group too, and if groups of one team may come to it side by side,
//   ranks are told by their places in it. What becomes ready there at the same instant it gets in
//   the order of the events, and folding may change that.
// Costs O(ranks x teams + messages) for each round; collectives
// that differ only in size are looked at once.

namespace stepcast {
namespace {

constexpr std::uint64_t kRankOfGroup = std::uint64_t{1} << 60U;  // labels of arcs
constexpr std::uint64_t kMessageOfGroup = std::uint64_t{2} << 60U;
constexpr std::uint64_t kGroupOfMessage = std::uint64_t{3} << 60U;
constexpr std::uint64_t kSender = std::uint64_t{5} << 60U;
constexpr std::uint64_t kReceiver = std::uint64_t{6} << 60U;
constexpr std::uint64_t kStream = std::uint64_t{7} << 60U;

std::uint64_t numbered(std::map<std::uint32_t, std::uint64_t>& seen, std::uint32_t place) {
  return seen.try_emplace(place, seen.size()).first->second;
}

// Where the ranks of a group lie: the same number means the same time on an idle network.
std::uint64_t shape_of(const Group& group, const Cluster& cluster) {
  std::map<std::uint32_t, std::uint64_t> nodes;
  std::map<std::uint32_t, std::uint64_t> racks;
  std::uint64_t shape = 0;
  for (const Rank rank : group.ranks) {
    shape = mixed(shape, numbered(nodes, node_of(cluster, rank)));
    shape = mixed(shape, numbered(racks, rack_of(cluster, rank)));
  }
  if (nodes.size() == 1 || !is_consecutive(group))
    return shape;
  shape = mixed(shape, group.ranks.front() % cluster.gpus_per_node + 1);
  return cluster.rack ? mixed(shape, node_of(cluster, group.ranks.front()) % cluster.rack->nodes)
                      : shape;
}

/// Writes down who meets whom over what.
class Surroundings {
 public:
  Surroundings(const Plan& plan, const Cluster& cluster, Fidelity fidelity,
               const std::vector<std::uint64_t>& colours, bool barriers_alone)
      : plan_(plan),
        cluster_(cluster),
        fidelity_(fidelity),
        first_group_(plan.teams.size(), kNone),
        links_(cluster),
        demands_(cluster) {
    graph_.colours = colours;
    for (const auto& [pattern, collective] : patterns_of(plan)) {
      add_groups(std::get<0>(pattern));
      if (!barriers_alone || !is_of_all(plan.teams[std::get<0>(pattern)], cluster))
        add_messages(std::get<0>(pattern), collective);
    }
    for (StreamId stream = 0; stream < plan.streams.size(); ++stream)
      if (!std::holds_alternative<InOrder>(plan.streams[stream].rule))
        add_stream(stream);
  }

  Roles find() const {
    const std::vector<std::uint32_t> numbers = equitable_partition(graph_);
    Roles roles{.of_rank = {numbers.begin(), numbers.begin() + cluster_.ranks()},
                .of_group = {},
                .of_node = {}};
    for (TeamId team = 0; team < plan_.teams.size(); ++team)
      roles.of_group.push_back(roles_of(team, numbers));
    if (fidelity_ == Fidelity::Flow && !cluster_.rack)
      roles.of_node = links_.roles_of_nodes(numbers);
    return roles;
  }

 private:
  std::set<TeamId> teams_on(StreamId stream) const {
    std::set<TeamId> teams;
    for (TaskId id = 0; id < plan_.graph.size(); ++id)
      if (plan_.graph.task(id).stream == stream)
        teams.insert(plan_.graph.task(id).team);
    return teams;
  }

  void add_stream(StreamId stream) {
    const std::set<TeamId> teams = teams_on(stream);
    Components components(cluster_.ranks());
    for (const TeamId team : teams)
      for (const Group& group : plan_.teams[team].groups)
        components.join(group.ranks);
    bool side_by_side = false;
    for (const TeamId team : teams) {
      std::set<std::uint32_t> met;
      for (const Group& group : plan_.teams[team].groups)
        side_by_side |= !met.insert(components.of(group.ranks.front())).second;
    }
    std::map<std::uint32_t, std::pair<std::uint32_t, std::uint64_t>> known;  // vertex, ranks so far
    for (Rank rank = 0; rank < cluster_.ranks(); ++rank) {
      const auto [found, is_new] = known.try_emplace(components.of(rank), 0U, 0U);
      auto& [vertex, seat] = found->second;
      if (is_new)
        vertex = graph_.add(mixed(kStream, stream));
      graph_.connect(vertex, rank, kStream + ++seat);
      graph_.connect(rank, vertex, mixed(kStream + stream, side_by_side ? seat : 0));
    }
  }

  void add_groups(TeamId id) {
    if (first_group_[id] != kNone)
      return;
    const Team& team = plan_.teams[id];
    first_group_[id] = static_cast<std::uint32_t>(graph_.colours.size());
    for (std::size_t i = 0; i < team.groups.size(); ++i) {
      const std::uint32_t group = graph_.add(mixed(id, shape_of(team.groups[i], cluster_)));
      for (std::uint32_t seat = 0; seat < team.group_size(); ++seat) {
        graph_.connect(team.groups[i].ranks[seat], group, kRankOfGroup + id);
        graph_.connect(group, team.groups[i].ranks[seat], kRankOfGroup + seat);
      }
    }
  }

  void add_messages(TeamId id, const Collective& collective) {
    const Team& team = plan_.teams[id];
    ++pattern_;
    for (std::uint32_t i = 0; i < team.groups.size(); ++i)
      if (fidelity_ == Fidelity::Analytic)
        demands_.add(graph_, first_group_[id] + i, pattern_,
                     edge_flows_of(collective, team.groups[i], cluster_));
      else if (fidelity_ == Fidelity::Flow)
        add_flows(first_group_[id] + i, edge_flows_of(collective, team.groups[i], cluster_));
      else
        add_rounds(first_group_[id] + i, team.groups[i],
                   steps_of(collective, team.groups[i], cluster_));
  }

  void add_flows(std::uint32_t group, const std::vector<Phase>& phases) {
    for (std::uint32_t phase = 0; phase < phases.size(); ++phase)
      for (const Message& message : phases[phase].messages)
        add_message(group, phase, message);
  }

  void add_rounds(std::uint32_t group, const Group& ranks, const StepPlan& plan) {
    std::map<Rank, std::uint32_t> seats;
    for (const Rank rank : ranks.ranks)
      seats.emplace(rank, graph_.add(mixed(pattern_, 1)));
    for (std::uint32_t round = 0; round < plan.rounds.size(); ++round)
      for (const Message& message : plan.rounds[round].messages) {
        const std::uint32_t vertex = add_message(group, round, message);
        connect_seat(vertex, seats.at(message.from), kSender, round);
        connect_seat(vertex, seats.at(message.to), kReceiver, round);
      }
  }

  void connect_seat(std::uint32_t message, std::uint32_t seat, std::uint64_t end,
                    std::uint32_t round) {
    graph_.connect(message, seat, end);
    graph_.connect(seat, message, end + 1 + round);
  }

  std::uint32_t add_message(std::uint32_t group, std::uint32_t phase, const Message& message) {
    const auto size = std::bit_cast<std::uint64_t>(message.size.value);
    const std::uint32_t vertex = graph_.add(mixed(mixed(pattern_, phase + 2), size));
    graph_.connect(group, vertex, kMessageOfGroup);
    graph_.connect(vertex, group, kGroupOfMessage);
    links_.add(graph_, vertex, message);
    return vertex;
  }

  // Teams that do not communicate meet nobody.
  std::vector<std::uint32_t> roles_of(TeamId team,
                                      const std::vector<std::uint32_t>& numbers) const {
    std::vector<std::uint32_t> roles(plan_.teams[team].groups.size());
    if (first_group_[team] == kNone)
      return by_ranks(plan_.teams[team], numbers);
    std::map<std::uint32_t, std::uint32_t> known;
    for (std::uint32_t i = 0; i < roles.size(); ++i)
      roles[i] =
          known.try_emplace(numbers[first_group_[team] + i], checked_id(known.size(), "roles"))
              .first->second;
    return roles;
  }

  static std::vector<std::uint32_t> by_ranks(const Team& team,
                                             const std::vector<std::uint32_t>& numbers) {
    std::map<std::vector<std::uint32_t>, std::uint32_t> known;
    std::vector<std::uint32_t> roles;
    for (const Group& group : team.groups) {
      std::vector<std::uint32_t> ranks;
      for (const Rank rank : group.ranks)
        ranks.push_back(numbers[rank]);
      roles.push_back(known.try_emplace(ranks, checked_id(known.size(), "roles")).first->second);
    }
    return roles;
  }

  const Plan& plan_;
  const Cluster& cluster_;
  Fidelity fidelity_;
  ColouredGraph graph_;
  std::vector<std::uint32_t> first_group_;  // by team: vertex of its first group
  CrossedLinks links_;
  LinkDemands demands_;
  std::uint64_t pattern_ = 0;
};

}  // namespace

bool is_of_all(const Team& team, const Cluster& cluster) {
  return team.groups.size() == 1 && team.group_size() == cluster.ranks();
}

Roles find_roles(const Plan& plan, const Cluster& cluster, Fidelity fidelity,
                 const std::vector<std::uint64_t>& colours, bool barriers_alone) {
  return Surroundings(plan, cluster, fidelity, colours, barriers_alone).find();
}

}  // namespace stepcast
