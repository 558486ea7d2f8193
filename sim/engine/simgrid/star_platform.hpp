#pragma once

#include "sim/engine/network/platform.hpp"

namespace simgrid::s4u {
class Link;
}

namespace stepcast {

/// See Platform and SimGrid::make_platform.
class StarPlatform final : public Platform {
 public:
  explicit StarPlatform(const Cluster& cluster);

  void carry(LinkId id, double times, bool in_use) const override;

 private:
  std::vector<simgrid::s4u::Link*> links_;  // as ClusterLinks numbers them
  mutable std::vector<double> times_;       // by link: what it carries of its bandwidth
};

}  // namespace stepcast
