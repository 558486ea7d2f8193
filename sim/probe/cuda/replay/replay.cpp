#include "sim/probe/cuda/replay/replay.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#include "models/schedule/issue_order.hpp"
#include "sim/probe/cuda/replay/player.hpp"

namespace stepcast {
namespace {

/// One for each group of a team on every stream on which the team communicates, so that streams do
/// not wait for each other.
using Communicators = std::map<std::tuple<StreamId, TeamId, std::uint32_t>, Communicator>;
using Players = std::vector<std::unique_ptr<Player>>;

/// All processes make them in the order of the plan.
Communicators communicators_of(const ExportedPlan& plan, const std::vector<Member>& members,
                               ProcessTeam& team) {
  Communicators made;
  for (TaskId id = 0; id < plan.plan.graph.size(); ++id) {
    const Task& task = plan.plan.graph.task(id);
    if (task.kind != TaskKind::Communication)
      continue;
    const std::vector<Group>& groups = plan.plan.teams[task.team].groups;
    for (std::uint32_t i = 0; i < groups.size(); ++i)
      if (const std::tuple key(task.stream, task.team, i); !made.contains(key))
        made.emplace(key, Communicator(groups[i], members, team));
  }
  return made;
}

Players players_of(const ExportedPlan& plan, const std::vector<ReplayProgram>& programs,
                   const std::vector<Member>& members, ReplayLength length) {
  Players players;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const OnDevice current(members[i].device);
    players.push_back(std::make_unique<Player>(plan, programs[i], members[i], length));
  }
  return players;
}

template <class Action>
void for_each_with(const Players& players, TaskId task, Action action) {
  for (std::size_t i = 0; i < players.size(); ++i)
    if (const ReplayStep* step = players[i]->find(task)) {
      const OnDevice current(players[i]->member().device);
      action(*players[i], *step);
    }
}

void play_task(const ExportedPlan& plan, TaskId id, const Players& players,
               const Communicators& communicators) {
  const Task& task = plan.plan.graph.task(id);
  if (task.kind != TaskKind::Communication || communicators.empty()) {
    for_each_with(players, id,
                  [](const Player& player, const ReplayStep& step) { player.play(step); });
    return;
  }
  for (std::uint32_t group = 0; group < plan.plan.teams[task.team].groups.size(); ++group) {
    const Communicator& communicator = communicators.at({task.stream, task.team, group});
    Communicator::begin();
    for (std::size_t i = 0; i < players.size(); ++i)
      if (const ReplayStep* step = players[i]->find(id); step && communicator.has(i))
        players[i]->communicate(*step, plan, communicator, i);
    Communicator::end();
  }
}

void play_iteration(const ExportedPlan& plan, const std::vector<TaskId>& order,
                    const Players& players, const Communicators& communicators,
                    std::uint32_t iteration) {
  for (const TaskId id : order) {
    for_each_with(players, id,
                  [&](Player& player, const ReplayStep& step) { player.open(step, iteration); });
    play_task(plan, id, players, communicators);
    for_each_with(players, id,
                  [&](Player& player, const ReplayStep& step) { player.close(step, iteration); });
  }
}

/// First those streams on which a peer's failure would show.
void wait(const Players& players, const Communicators& communicators) {
  for (const auto& player : players) {
    const OnDevice current(player->member().device);
    for (const auto& [key, communicator] : communicators)
      communicator.wait(player->stream(std::get<0>(key)));
    player->synchronise();
  }
}

/// An iteration lasts as long as that of the slowest process.
void take_slowest(ReplayMeasurement& measured, ProcessTeam& team) {
  for (Seconds& iteration : measured.iterations)
    iteration = {team.largest(iteration.value)};
}

bool communicates(const std::vector<ReplayProgram>& programs) {
  return std::ranges::any_of(programs.front().steps,
                             [](const ReplayStep& step) { return step.collective != kNone; });
}

}  // namespace

ReplayMeasurement replay_on_cuda(const ExportedPlan& plan,
                                 const std::vector<ReplayProgram>& programs,
                                 const std::vector<Member>& members, ProcessTeam& team,
                                 std::uint32_t iterations) {
  const ReplayLength length{.timed = iterations};
  const bool real = team.largest(communicates(programs) ? 1 : 0) > 0;
  const Communicators communicators =
      real ? communicators_of(plan, members, team) : Communicators{};
  const Players players = players_of(plan, programs, members, length);
  team.barrier();
  const std::vector<TaskId> order = issue_order(plan.plan);
  for (std::uint32_t iteration = 0; iteration < length.all(); ++iteration)
    play_iteration(plan, order, players, communicators, iteration);
  wait(players, communicators);
  const OnDevice current(players.front()->member().device);
  ReplayMeasurement measured = players.front()->result();
  take_slowest(measured, team);
  return measured;
}

}  // namespace stepcast
