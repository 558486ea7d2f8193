#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/engine/network/platform.hpp"

namespace stepcast {

/// The links of a message, from its sender's port on.
struct LinkPath {
  std::array<LinkId, 6> links{};
  std::uint32_t count = 0;

  const LinkId* begin() const { return links.data(); }
  const LinkId* end() const { return links.data() + count; }
};

/// The links of a cluster by number: ports, then NICs, then uplinks of racks; of each first all
/// that send, then all that receive. The same as Platform's.
class ClusterLinks {
 public:
  explicit ClusterLinks(const Cluster& cluster);

  LinkPath path(Rank from, Rank to) const;
  LinkPath path(Rank from, Rank to, Distance distance) const;
  std::array<LinkId, 2> port_of(Rank rank) const { return {rank, ranks() + rank}; }

  /// 0 to 5: ports, NICs and uplinks, those that send and those that receive.
  std::uint32_t kind(LinkId link) const;

  /// By link, in bytes per second, of an idle one.
  const std::vector<double>& bandwidths() const { return bandwidths_; }

 private:
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(node_of_rank_.size()); }

  LinkId first_nic_;
  LinkId first_uplink_;
  std::uint32_t nodes_;
  std::uint32_t racks_;
  std::vector<std::uint32_t> node_of_rank_;
  std::vector<std::uint32_t> rack_of_node_;
  std::vector<double> bandwidths_;
};

}  // namespace stepcast
