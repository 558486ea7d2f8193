#pragma once

#include <cstdint>
#include <vector>

#include "models/network/cluster.hpp"

namespace simgrid::s4u {
class Host;
}

namespace stepcast {

using LinkId = std::uint32_t;

/// How far a message goes.
enum class Distance { Near, Far, Farthest };

inline Distance distance_of(const Cluster& cluster, Rank from, Rank to) {
  if (node_of(cluster, from) == node_of(cluster, to))
    return Distance::Near;
  return rack_of(cluster, from) == rack_of(cluster, to) ? Distance::Far : Distance::Farthest;
}

/// Bytes from one GPU's port to another's, which stand for some that are so far apart.
struct PortFlow {
  Rank from = 0;
  Rank to = 0;
  Distance distance = Distance::Near;
  Bytes size{};
};

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

  /// End point of a message: inside a node, of one that leaves it but not its rack, and of others.
  Host* host(Rank rank, Distance distance) const {
    switch (distance) {
      case Distance::Near:
        return near_[rank];
      case Distance::Far:
        return far_[rank];
      case Distance::Farthest:
        return farthest_[rank];
    }
    return nullptr;
  }

  /// A link, numbered as by ClusterLinks, carries `times` its bandwidth from now on. `in_use`:
  /// flows cross it.
  virtual void carry(LinkId link, double times, bool in_use) const = 0;

 protected:
  explicit Platform(const Cluster& cluster) : cluster_(cluster) {}

  Cluster cluster_;
  std::vector<Host*> near_;
  std::vector<Host*> far_;
  std::vector<Host*> farthest_;
};

}  // namespace stepcast
