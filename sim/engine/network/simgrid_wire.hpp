#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/event_queue.hpp"
#include "sim/engine/network/cluster_links.hpp"
#include "sim/engine/network/simgrid.hpp"
#include "sim/engine/network/wire.hpp"

namespace stepcast {

/// A Wire on SimGrid, which is the clock for as long as the object lives: each message is a flow.
class SimGridWire final : public Wire {
 public:
  /// Within simulate_alone(). Both must outlive the object.
  SimGridWire(const Cluster& cluster, EventQueue& queue);
  void send(Rank from, Rank to, Bytes size, Seconds startup, FlowListener& listener,
            std::uint32_t tag) override;
  void set_port(Rank rank, double share) override;

 private:
  struct Sent {
    Rank from = 0;
    Rank to = 0;
    Bytes size{};
    FlowListener* listener = nullptr;
    std::uint32_t tag = 0;
  };
  void start(std::uint32_t message);

  const Cluster& cluster_;
  EventQueue& queue_;
  ClusterLinks links_;
  SimGrid& simgrid_;
  std::vector<Sent> waiting_;        // for their start-ups to pass
  std::vector<std::uint32_t> idle_;  // waiting_ to use again
};

}  // namespace stepcast
