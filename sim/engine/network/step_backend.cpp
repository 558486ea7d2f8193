#include "sim/engine/network/step_backend.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/engine/network/simgrid_wire.hpp"
#include "sim/engine/take_slot.hpp"

// Message by message: a rank enters a round when it has sent and received all of its round before,
// so slow edges hold up only those behind them, which the cheaper fidelities assume to be all. That
// costs .2 us for each message: 2(P - 1)P of them for a ring, 2 ms at 64 ranks. Scripts (who sends
// what in which round) are prepared once for each collective and size; rounds that repeat share
// one. Folded groups are played side by side, all their messages: nothing is saved but the events
// around them, and the result is that of single groups to the last digit.

namespace stepcast {

StepBackend::StepBackend(const Cluster& cluster, EventQueue& queue, std::unique_ptr<Wire> wire)
    : cluster_(cluster), queue_(queue), wire_(std::move(wire)) {}

void StepBackend::run_on_simgrid(bool /*fold*/) {
  wire_ = std::make_unique<SimGridWire>(cluster_, queue_);
}

// Alike groups send the same messages in the same rounds, each on links of its own or shared with
// others: their scripts side by side are one.
StepBackend::Script StepBackend::script_of(const Collective& collective,
                                           const Participants& participants) const {
  Script script;
  StepPlan plan;
  std::unordered_map<Rank, std::uint32_t> place;
  for (const std::uint32_t index : participants.groups) {
    const Group& group = participants.team->groups[index];
    for (const Rank rank : group.ranks)
      place.emplace(rank, script.ranks++);
    StepPlan more = steps_of(collective, group, cluster_);
    if (plan.rounds.empty()) {
      plan = std::move(more);
      continue;
    }
    for (std::size_t i = 0; i < plan.rounds.size(); ++i)
      std::ranges::move(more.rounds[i].messages, std::back_inserter(plan.rounds[i].messages));
  }
  script.barrier = plan.barrier;
  for (Round& round : plan.rounds) {
    script.sequence.insert(script.sequence.end(), round.repeat,
                           static_cast<std::uint32_t>(script.rounds.size()));
    script.rounds.push_back(prepared(round, place, script.ranks, !participants.without_startup));
    round = {};  // pairwise exchanges list the square of the ranks: none of them twice
  }
  return script;
}

StepBackend::Script::RoundScript StepBackend::prepared(
    const Round& round, const std::unordered_map<Rank, std::uint32_t>& place, std::uint32_t ranks,
    bool starts_up) const {
  Script::RoundScript script;
  script.first_hop.assign(ranks + 1, 0);
  script.messages.assign(ranks, 0);
  for (const Message& message : round.messages) {
    check_size(message);
    const Seconds startup =
        message.follows || !starts_up ? Seconds{} : startup_of(cluster_, message.from, message.to);
    script.hops.push_back({message, startup, place.at(message.from), place.at(message.to)});
  }
  std::ranges::stable_sort(script.hops, {}, &Hop::from);
  for (const Hop& hop : script.hops) {
    ++script.first_hop[hop.from + 1];
    ++script.messages[hop.from];
    ++script.messages[hop.to];
  }
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    script.first_hop[rank + 1] += script.first_hop[rank];
  return script;
}

void StepBackend::start(const Collective& collective, const Participants& participants,
                        Seconds delay, Done done) {
  const std::uint32_t operation = take_slot(operations_, idle_operations_, "operations");
  Operation& current = operations_[operation];
  if (participants.id == kNone) {
    current.own = std::make_unique<const Script>(script_of(collective, participants));
    current.script = current.own.get();
  } else {
    const CollectiveKey key = key_of(collective, participants);
    auto known = scripts_.find(key);
    if (known == scripts_.end())
      known = scripts_.emplace(key, script_of(collective, participants)).first;
    current.script = &known->second;
  }
  current.done = std::move(done);
  queue_.after(delay, [this, operation] { begin(operation); });
}

void StepBackend::set_ports(std::span<const Rank> ranks, double share) {
  for (const Rank rank : ranks)
    wire_->set_port(rank, share);
}

void StepBackend::begin(std::uint32_t operation) {
  Operation& current = operations_[operation];
  const Script& script = *current.script;
  if (script.sequence.empty())
    return finish(operation);
  if (script.barrier) {
    current.barrier_round = 0;
    return begin_barrier_round(operation);
  }
  current.missing.clear();
  for (const std::uint32_t round : script.sequence)
    current.missing.insert(current.missing.end(), script.rounds[round].messages.begin(),
                           script.rounds[round].messages.end());
  current.round.assign(script.ranks, 0);
  current.ranks_left = script.ranks;
  for (std::uint32_t rank = 0; rank < script.ranks; ++rank) {
    const auto& first = script.rounds[script.sequence[0]];
    for (std::uint32_t hop = first.first_hop[rank]; hop < first.first_hop[rank + 1]; ++hop)
      send(operation, 0, hop);
  }
  for (std::uint32_t rank = 0; rank < script.ranks; ++rank)
    if (script.rounds[script.sequence[0]].messages[rank] == 0)
      advance(operation, rank);
}

void StepBackend::begin_barrier_round(std::uint32_t operation) {
  Operation& current = operations_[operation];
  const std::uint32_t round = current.barrier_round;
  const auto& script = current.script->rounds[current.script->sequence[round]];
  current.left_in_round = static_cast<std::uint32_t>(script.hops.size());
  for (std::uint32_t hop = 0; hop < script.hops.size(); ++hop)
    send(operation, round, hop);
}

// Rank `rank` has done its messages of its round: into the next round in which it has some to do.
void StepBackend::advance(std::uint32_t operation, std::uint32_t rank) {
  const Script& script = *operations_[operation].script;
  for (;;) {
    const std::uint32_t round = ++operations_[operation].round[rank];
    if (round == script.sequence.size()) {
      if (--operations_[operation].ranks_left == 0)
        finish(operation);
      return;
    }
    const auto& current = script.rounds[script.sequence[round]];
    for (std::uint32_t hop = current.first_hop[rank]; hop < current.first_hop[rank + 1]; ++hop)
      send(operation, round, hop);
    if (operations_[operation].missing[round * script.ranks + rank] > 0)
      return;
  }
}

void StepBackend::send(std::uint32_t operation, std::uint32_t round, std::uint32_t hop) {
  const std::uint32_t message = take_slot(messages_, idle_messages_, "messages");
  messages_[message] = {operation, round, hop};
  const Script& script = *operations_[operation].script;
  const Hop& sent = script.rounds[script.sequence[round]].hops[hop];
  wire_->send(sent.message.from, sent.message.to, sent.message.size, sent.startup, *this, message);
}

void StepBackend::flow_arrived(std::uint32_t message) {
  queue_.guard([this, message] { arrived(message); });
}

void StepBackend::arrived(std::uint32_t message) {
  const InFlight flight = messages_[message];
  idle_messages_.push_back(message);
  Operation& current = operations_[flight.operation];
  const Script& script = *current.script;
  if (script.barrier) {
    if (--current.left_in_round > 0)
      return;
    if (++current.barrier_round == script.sequence.size())
      return finish(flight.operation);
    return begin_barrier_round(flight.operation);
  }
  const Hop& hop = script.rounds[script.sequence[flight.round]].hops[flight.hop];
  for (const std::uint32_t rank : {hop.from, hop.to})
    if (--operations_[flight.operation].missing[flight.round * script.ranks + rank] == 0 &&
        operations_[flight.operation].round[rank] == flight.round)
      advance(flight.operation, rank);
}

void StepBackend::finish(std::uint32_t operation) {
  const Done done = std::move(operations_[operation].done);
  idle_operations_.push_back(operation);
  done();
}

}  // namespace stepcast
