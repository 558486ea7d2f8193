#include "sim/engine/network/flow_backend.hpp"

#include <utility>

namespace stepcast {

FlowBackend::FlowBackend(const Cluster& cluster, EventQueue& queue)
    : cluster_(cluster), queue_(queue), platform_(Platform::for_cluster(cluster)) {}

void FlowBackend::start(const Collective& collective, const Group& group, Seconds delay,
                        Done done) {
  const Key key{collective.kind, collective.algorithm, collective.size.value,
                collective.root, collective.shares,    &group};
  auto known = phases_.find(key);
  if (known == phases_.end())
    known = phases_.emplace(key, edge_flows_of(collective, group, cluster_)).first;
  if (idle_.empty()) {
    idle_.push_back(static_cast<std::uint32_t>(operations_.size()));
    operations_.emplace_back();
  }
  const std::uint32_t operation = idle_.back();
  idle_.pop_back();
  operations_[operation] = {.phases = &known->second, .done = std::move(done)};
  begin_phase(operation, delay);
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
  const Phase& phase = (*current.phases)[current.phase++];
  current.in_flight = phase.messages.size();
  if (phase.messages.empty())
    return begin_phase(operation, {});
  for (const Message& message : phase.messages)
    simgrid_compat::start_flow(platform_.source(message.from, message.to),
                               platform_.destination(message.from, message.to), message.size, *this,
                               operation);
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
