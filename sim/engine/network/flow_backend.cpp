#include "sim/engine/network/flow_backend.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

// One flow for each edge of the algorithm, with the bytes of all its rounds: rounds of a ring run
// in step, so what an edge moves in all of them is all that concurrent traffic can see, and 2(P -
// 1) rounds of P messages become P flows. A flow costs SimGrid 2 to 3 us (worse than linear from
// some 500 at once), so a collective of P ranks costs about P times that, whatever its size; what
// is asked for again is prepared once, by size. A tree or a hierarchy goes through its phases one
// after the other. Groups that are folded (see folding.cpp) begin together and share links, so one
// operation moves the flows of all of them: the fold saves events, not flows, unless whole nodes
// fold too (folded_nodes.cpp), which leaves a flow for each role.

namespace stepcast {

FlowBackend::FlowBackend(const Cluster& cluster, EventQueue& queue, SimGrid& simgrid,
                         FoldedNodes nodes)
    : cluster_(cluster),
      queue_(queue),
      nodes_(std::move(nodes)),
      simgrid_(simgrid),
      platform_(simgrid_.platform_for(nodes_.cluster())) {}

std::vector<FlowBackend::Flow> FlowBackend::flows_of(const std::vector<Message>& messages) const {
  std::vector<Flow> flows;
  flows.reserve(messages.size());
  std::ranges::for_each(messages, check_size);
  if (!nodes_.is_folded())
    for (const Message& message : messages)
      flows.push_back({platform_.source(message.from, message.to),
                       platform_.destination(message.from, message.to), message.size});
  else
    for (const auto& [from, to, leaves, size] : nodes_.folded(messages))
      flows.push_back({leaves ? platform_.far(from) : platform_.near(from),
                       leaves ? platform_.far(to) : platform_.near(to), size});
  return flows;
}

// Alike groups go through the same phases at the same times: each phase holds the flows of all.
FlowBackend::Phases FlowBackend::phases_of(const Collective& collective,
                                           const Participants& participants) const {
  std::vector<Phase> phases = edge_flows_of(collective, participants.representative(), cluster_);
  for (const std::uint32_t group : participants.groups.subspan(1)) {
    std::vector<Phase> more = edge_flows_of(collective, participants.team->groups[group], cluster_);
    for (std::size_t i = 0; i < phases.size(); ++i)
      std::ranges::move(more[i].messages, std::back_inserter(phases[i].messages));
  }
  Phases prepared;
  for (const Phase& phase : phases)
    prepared.push_back({phase.startup, flows_of(phase.messages)});
  return prepared;
}

void FlowBackend::start(const Collective& collective, const Participants& participants,
                        Seconds delay, Done done) {
  if (idle_.empty()) {
    idle_.push_back(static_cast<std::uint32_t>(operations_.size()));
    operations_.emplace_back();
  }
  const std::uint32_t operation = idle_.back();
  idle_.pop_back();
  operations_[operation] = {.phases = nullptr, .own = nullptr, .done = std::move(done)};
  Operation& current = operations_[operation];
  if (participants.id == kNone) {
    current.own = std::make_unique<const Phases>(phases_of(collective, participants));
    current.phases = current.own.get();
  } else {
    const CollectiveKey key = key_of(collective, participants);
    auto known = phases_.find(key);
    if (known == phases_.end())
      known = phases_.emplace(key, phases_of(collective, participants)).first;
    current.phases = &known->second;
  }
  begin_phase(operation, delay);
}

void FlowBackend::set_ports(std::span<const Rank> ranks, double share) {
  for (const Rank rank : ranks)
    platform_.set_port(nodes_.port_of(rank), share);
}

void FlowBackend::begin_phase(std::uint32_t operation, Seconds delay) {
  const Operation& current = operations_[operation];
  if (current.phase < current.phases->size())
    queue_.after(delay + (*current.phases)[current.phase].startup,
                 [this, operation] { start_flows(operation); });
  else
    queue_.after(delay, [this, operation] { finish(operation); });
}

void FlowBackend::start_flows(std::uint32_t operation) {
  Operation& current = operations_[operation];
  const FlowPhase& phase = (*current.phases)[current.phase++];
  current.in_flight = phase.flows.size();
  if (phase.flows.empty())
    return begin_phase(operation, {});
  for (const auto& [from, to, size] : phase.flows)
    simgrid_.start_flow(from, to, size, *this, operation);
}

void FlowBackend::flow_arrived(std::uint32_t operation) {
  if (--operations_[operation].in_flight > 0)
    return;
  queue_.guard([this, operation] {
    if (operations_[operation].phase < operations_[operation].phases->size())
      begin_phase(operation, {});
    else
      finish(operation);
  });
}

void FlowBackend::finish(std::uint32_t operation) {
  const Done done = std::move(operations_[operation].done);
  idle_.push_back(operation);
  done();
}

}  // namespace stepcast
