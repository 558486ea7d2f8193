#pragma once

#include <vector>

#include "models/network/cluster.hpp"

namespace simgrid::s4u {
class Host;
class SplitDuplexLink;
}  // namespace simgrid::s4u

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
  /// The platform of this process for `cluster`; built anew only if its topology or bandwidths
  /// changed since the last call. Nothing may be in flight.
  static const Platform& for_cluster(const Cluster& cluster);

  /// End points of a message inside a node, and of one that leaves it but not its rack.
  simgrid::s4u::Host* near(Rank rank) const { return near_[rank]; }
  simgrid::s4u::Host* far(Rank rank) const { return far_[rank]; }

  /// End points of a message.
  simgrid::s4u::Host* source(Rank from, Rank to) const { return host(from, from, to); }
  simgrid::s4u::Host* destination(Rank from, Rank to) const { return host(to, from, to); }

  /// A GPU's port carries `share` of its bandwidth, until for_cluster() is called again.
  void set_port(Rank rank, double share) const;

 private:
  explicit Platform(const Cluster& cluster);
  simgrid::s4u::Host* host(Rank rank, Rank from, Rank to) const;

  void restore_ports() const;

  Cluster cluster_;
  std::vector<simgrid::s4u::SplitDuplexLink*> ports_;
  mutable std::vector<double> carried_;  // by port: the share of its bandwidth
  std::vector<simgrid::s4u::Host*> near_;
  std::vector<simgrid::s4u::Host*> far_;
  std::vector<simgrid::s4u::Host*> farthest_;
};

}  // namespace stepcast
