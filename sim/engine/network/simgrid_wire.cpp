#include "sim/engine/network/simgrid_wire.hpp"

#include "sim/engine/take_slot.hpp"

namespace stepcast {

SimGridWire::SimGridWire(const Cluster& cluster, EventQueue& queue)
    : cluster_(cluster), queue_(queue), links_(cluster), simgrid_(simgrid_for(cluster)) {
  queue_.enter(simgrid_);
}

void SimGridWire::send(Rank from, Rank to, Bytes size, Seconds startup, FlowListener& listener,
                       std::uint32_t tag) {
  const std::uint32_t message = take_slot(waiting_, idle_, "messages");
  waiting_[message] = {from, to, size, &listener, tag};
  queue_.after(startup, [this, message] { start(message); });
}

void SimGridWire::start(std::uint32_t message) {
  const Sent sent = waiting_[message];
  idle_.push_back(message);
  const Distance distance = distance_of(cluster_, sent.from, sent.to);
  const Platform& platform = simgrid_.platform();
  simgrid_.start_flows(platform.host(sent.from, distance), platform.host(sent.to, distance),
                       sent.size, 1, *sent.listener, sent.tag);
}

void SimGridWire::set_port(Rank rank, double share) {
  for (const LinkId link : links_.port_of(rank))
    simgrid_.platform().carry(link, share, true);
}

}  // namespace stepcast
