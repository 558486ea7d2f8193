#pragma once

#include <vector>

#include "models/network/cluster.hpp"

namespace simgrid::s4u {
class Host;
}

namespace stepcast {

/// The cluster as SimGrid hosts and links.
///
/// One flat star zone (nested zones cost O(n^2) look-ups). A star route is links_up(source) +
/// links_down(destination) and two hosts may share link objects, so every GPU has one host per
/// distance: `near` goes over its port only, `far` over port and NIC, `farthest` also over the
/// rack's uplink. A message between two GPUs runs between their hosts of the same distance. All
/// latencies are zero: SimGrid 3.32 weights shares by 1/latency; start-ups are paid as timers
/// instead.
class Platform {
 public:
  using Host = simgrid::s4u::Host;

  virtual ~Platform() = default;

  /// End points of a message inside a node, and of one that leaves it but not its rack.
  Host* near(Rank rank) const { return near_[rank]; }
  Host* far(Rank rank) const { return far_[rank]; }

  /// End points of a message.
  Host* source(Rank from, Rank to) const { return host(from, from, to); }
  Host* destination(Rank from, Rank to) const { return host(to, from, to); }

  /// A GPU's port carries `share` of its bandwidth, until the platform is asked for again.
  virtual void set_port(Rank rank, double share) const = 0;

 protected:
  explicit Platform(const Cluster& cluster) : cluster_(cluster) {}

  Cluster cluster_;
  std::vector<Host*> near_;
  std::vector<Host*> far_;
  std::vector<Host*> farthest_;

 private:
  Host* host(Rank rank, Rank from, Rank to) const {
    if (node_of(cluster_, from) == node_of(cluster_, to))
      return near_[rank];
    if (rack_of(cluster_, from) == rack_of(cluster_, to))
      return far_[rank];
    return farthest_[rank];
  }
};

}  // namespace stepcast
