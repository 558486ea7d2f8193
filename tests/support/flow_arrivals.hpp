#pragma once
// Flows over the links of a cluster, and when each arrives.

#include <cstdint>
#include <vector>

#include "sim/engine/network/flow_links.hpp"
#include "sim/engine/process/simulation_process.hpp"
#include "tests/support/examples.hpp"

namespace stepcast::examples {

/// A flow and when it begins.
struct StartedFlow {
  PortFlow flow;
  Seconds at{};
};

/// From when on a port carries which share.
struct PortChange {
  Seconds at{};
  Rank rank = 0;
  double share = 1;
};

/// When each flow has arrived.
class Arrivals final : private FlowListener {
 public:
  std::vector<double> of(const Cluster& cluster, const std::vector<StartedFlow>& flows,
                         const std::vector<PortChange>& shares, bool on_simgrid) {
    return simulate_alone([&] {
      times_.assign(flows.size(), -1);
      FlowLinks links(cluster, queue_, *this);
      if (on_simgrid)
        links.run_on_simgrid(false);
      for (std::uint32_t i = 0; i < flows.size(); ++i)
        queue_.at(flows[i].at, [&links, &flow = flows[i].flow, i] { links.start(flow, i); });
      for (const PortChange& it : shares)
        queue_.at(it.at, [&links, &it] { links.set_port(it.rank, it.share); });
      queue_.run();
      return times_;
    });
  }

 private:
  void flow_arrived(std::uint32_t tag) override { times_[tag] = queue_.now().value; }

  EventQueue queue_;
  std::vector<double> times_;
};

inline std::vector<double> arrivals_of(const Cluster& cluster,
                                       const std::vector<StartedFlow>& flows,
                                       const std::vector<PortChange>& shares = {}) {
  return Arrivals().of(cluster, flows, shares, false);
}

/// The same with each moved by SimGrid, by itself.
inline std::vector<double> on_simgrid(const Cluster& cluster, const std::vector<StartedFlow>& flows,
                                      const std::vector<PortChange>& shares = {}) {
  return Arrivals().of(cluster, flows, shares, true);
}

/// Between nodes of a rack.
inline PortFlow far(Rank from, Rank to, double bytes) {
  return {.from = from, .to = to, .distance = Distance::Far, .size = Bytes{bytes}};
}

}  // namespace stepcast::examples
