#pragma once

#include "sim/engine/network/platform.hpp"

namespace simgrid::s4u {
class SplitDuplexLink;
}

namespace stepcast {

/// See Platform and SimGrid::platform_for.
class StarPlatform final : public Platform {
 public:
  static const StarPlatform& for_cluster(const Cluster& cluster);

  void set_port(Rank rank, double share) const override;

 private:
  explicit StarPlatform(const Cluster& cluster);
  void restore_ports() const;

  std::vector<simgrid::s4u::SplitDuplexLink*> ports_;
  mutable std::vector<double> carried_;  // by port: the share of its bandwidth
};

}  // namespace stepcast
