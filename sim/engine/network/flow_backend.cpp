#include "sim/engine/network/flow_backend.hpp"

#include <algorithm>
#include <utility>

#include "sim/engine/take_slot.hpp"

// One flow for each edge of the algorithm, with the bytes of all its rounds: rounds of a ring run
// in step, so what an edge moves in all of them is all that concurrent traffic can see, and 2(P -
// 1) rounds of P messages become P flows. A flow that shares a link costs SimGrid 2 to 3 us
// (worse than linear from some 500 at once), one that does not .1 us (flow_links.cpp), so a
// collective of P ranks costs about P times that, whatever its size; what is asked for again is
// prepared once, by size. A tree or a hierarchy goes through its phases one
// after the other. Groups that are folded (see folding.cpp) begin together and share links, so one
// operation moves the flows of all of them: the fold saves events, not flows, unless whole nodes
// fold too (folded_nodes.cpp), which leaves a flow for each role, or one node's.

namespace stepcast {
namespace {

bool has_an_edge_a_port(const Collective& collective) {
  return collective.shares.empty() &&
         (collective.algorithm == Algorithm::Ring || collective.algorithm == Algorithm::Chain);
}

}  // namespace

FlowBackend::FlowBackend(const Cluster& cluster, EventQueue& queue, FoldedNodes nodes, bool assumes,
                         bool ports_differ)
    : cluster_(cluster),
      queue_(queue),
      nodes_(std::move(nodes)),
      assumes_(assumes),
      ports_differ_(ports_differ) {
  links_.emplace(nodes_.cluster(), queue, static_cast<FlowListener&>(*this));
}

FlowBackend::FlowBackend(const Cluster& cluster, EventQueue& queue, std::unique_ptr<Wire> wire)
    : cluster_(cluster),
      queue_(queue),
      nodes_(cluster, Folding{}),
      assumes_(false),
      ports_differ_(false),
      wire_(std::move(wire)) {}

void FlowBackend::run_on_simgrid(bool fold) {
  if (links_)
    links_->run_on_simgrid(fold);
}

// Of all groups together where the nodes fold.
FlowBackend::FlowPhase FlowBackend::phase_of(
    Seconds startup, const std::vector<std::vector<Message>>& groups) const {
  FlowPhase phase{.startup = startup, .flows = {}, .ends = {}};
  std::vector<Message> all;
  for (const std::vector<Message>& messages : groups) {
    std::ranges::for_each(messages, check_size);
    if (nodes_.is_folded()) {
      all.insert(all.end(), messages.begin(), messages.end());
      continue;
    }
    for (const Message& message : messages)
      phase.flows.push_back({message.from, message.to,
                             distance_of(cluster_, message.from, message.to), message.size});
    phase.ends.push_back(phase.flows.size());
  }
  if (!nodes_.is_folded())
    return phase;
  phase.flows = nodes_.folded(all);
  phase.ends.push_back(phase.flows.size());
  return phase;
}

// Along a ring or chain each port carries one edge, and what stays in a node is left out, as what
// leaves it crosses the like of its ports and a NIC as well. Where one port of the node is slower
// than the others it may be the narrowest link.
void FlowBackend::add_edges_inside(Phase& phase, const Collective& collective,
                                   const Group& group) const {
  std::map<std::pair<Rank, Rank>, Bytes> moved;
  for (const Round& round : steps_of(collective, group, cluster_).rounds)
    for (const Message& message : round.messages)
      moved[{message.from, message.to}] += message.size * round.repeat;
  const Message& known = phase.messages.front();
  const double scale = known.size / moved.at({known.from, known.to});  // measured curves change it
  for (const Message& message : phase.messages)
    moved.erase({message.from, message.to});
  for (const auto& [edge, size] : moved)
    phase.messages.push_back({edge.first, edge.second, size * scale});
}

// Alike groups go through the same phases at the same times: each phase holds the flows of all.
FlowBackend::Phases FlowBackend::phases_of(const Collective& collective,
                                           const Participants& participants) const {
  std::vector<Seconds> startups;
  std::vector<std::vector<std::vector<Message>>> messages;  // by phase and group
  for (const std::uint32_t group : participants.groups) {
    std::vector<Phase> phases =
        edge_flows_of(collective, participants.team->groups[group], cluster_);
    if (ports_differ_ && !phases.empty() && has_an_edge_a_port(collective))
      add_edges_inside(phases.front(), collective, participants.team->groups[group]);
    messages.resize(phases.size());
    for (std::size_t i = 0; i < phases.size(); ++i) {
      if (startups.size() == i)
        startups.push_back(participants.without_startup ? Seconds{} : phases[i].startup);
      messages[i].push_back(std::move(phases[i].messages));
    }
  }
  Phases prepared;
  for (std::size_t i = 0; i < messages.size(); ++i)
    prepared.push_back(phase_of(startups[i], messages[i]));
  return prepared;
}

void FlowBackend::start(const Collective& collective, const Participants& participants,
                        Seconds delay, Done done) {
  const std::uint32_t operation = take_slot(operations_, idle_, "operations");
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
    if (wire_)
      wire_->set_port(rank, share);
    else
      links_->set_port(nodes_.port_of(rank), share);
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
  current.first_end = Seconds{-1};
  current.in_flight = 0;
  if (phase.flows.empty())
    return begin_phase(operation, {});
  std::size_t flow = 0;
  for (const std::size_t end : phase.ends) {
    if (flow == end)
      continue;
    const std::uint32_t group = take_slot(groups_, idle_groups_, "groups");
    groups_[group] = {.operation = operation, .in_flight = end - flow};
    ++current.in_flight;
    for (; flow < end; ++flow)
      start_flow(phase.flows[flow], group);
  }
}

void FlowBackend::start_flow(const PortFlow& flow, std::uint32_t group) {
  if (wire_)
    wire_->send(flow.from, flow.to, flow.size, {}, *this, group);
  else
    links_->start(flow, group);
}

void FlowBackend::flow_arrived(std::uint32_t group) {
  if (--groups_[group].in_flight > 0)
    return;
  idle_groups_.push_back(group);
  queue_.guard([this, operation = groups_[group].operation] { group_arrived(operation); });
}

// Times less than a nanosecond apart are the same for SimGrid.
void FlowBackend::group_arrived(std::uint32_t operation) {
  constexpr Seconds kSame{1e-9};
  Operation& current = operations_[operation];
  const Seconds now = queue_.now();
  if (current.first_end < Seconds{})
    current.first_end = now;
  else if (assumes_ && now - current.first_end > kSame)
    throw FoldingRefuted();
  if (--current.in_flight > 0)
    return;
  if (current.phase < current.phases->size())
    begin_phase(operation, {});
  else
    finish(operation);
}

void FlowBackend::finish(std::uint32_t operation) {
  const Done done = std::move(operations_[operation].done);
  idle_.push_back(operation);
  done();
}

}  // namespace stepcast
