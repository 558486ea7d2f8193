#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "sim/engine/network/network_backend.hpp"

namespace stepcast {

/// A collective takes its closed form, whatever else is on the network.
class AnalyticBackend : public NetworkBackend {
 public:
  AnalyticBackend(const Cluster& cluster, EventQueue& queue) : cluster_(cluster), queue_(queue) {}
  void start(const Collective& collective, const Group& group, Seconds delay, Done done) override;

 private:
  using Key = std::tuple<CollectiveKind, Algorithm, double, std::vector<double>, const Group*>;

  const Cluster& cluster_;
  EventQueue& queue_;
  std::map<Key, Seconds> costs_;
};

}  // namespace stepcast
