#pragma once

#include "sim/engine/network/platform.hpp"

namespace simgrid::s4u {
class Link;
}

namespace stepcast {

/// See Platform and SimGrid::platform_for.
class StarPlatform final : public Platform {
 public:
  static const StarPlatform& for_cluster(const Cluster& cluster);

  void carry(LinkId id, double times, bool in_use) const override;

 private:
  explicit StarPlatform(const Cluster& cluster);
  std::vector<simgrid::s4u::Link*> links_;  // as ClusterLinks numbers them
  mutable std::vector<double> times_;       // by link: what it carries of its bandwidth
};

}  // namespace stepcast
