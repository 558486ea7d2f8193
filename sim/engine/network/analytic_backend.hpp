#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "models/collective/team/team_cost.hpp"
#include "sim/engine/network/network_backend.hpp"

namespace stepcast {

/// A collective takes its closed form, whatever else is on the network but the other groups of its
/// team, which do the same at the same time.
class AnalyticBackend : public NetworkBackend {
 public:
  AnalyticBackend(const Cluster& cluster, EventQueue& queue) : cluster_(cluster), queue_(queue) {}
  void start(const Collective& collective, const Participants& participants, Seconds delay,
             Done done) override;

 private:
  using Key = std::tuple<CollectiveKind, Algorithm, double, std::vector<double>, std::uint32_t>;

  Seconds cost(const Collective& collective, const Participants& participants);

  const Cluster& cluster_;
  EventQueue& queue_;
  std::map<Key, Seconds> costs_;
  std::map<const Team*, std::vector<Crossing>> sharing_;  // by team and group
};

}  // namespace stepcast
