#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/collective/collective.hpp"
#include "models/network/cluster.hpp"

namespace stepcast {

/// How many messages share each NIC, and each rack uplink, that a message crosses; 0: it crosses
/// none.
struct Crossing {
  std::uint32_t on_nic = 0;
  std::uint32_t on_uplink = 0;
};

/// The path of a message as one link: its start-up, and its share of the tightest link it crosses.
Link link_of(const Cluster& cluster, Crossing crossing);

inline Seconds time_of(const Link& link, Bytes size) {
  return link.startup + size / link.bandwidth;
}

/// The messages that leave their node; all of them if none does.
std::vector<Message> crossing_or_all(std::vector<Message> messages, const Cluster& cluster);

/// One phase that on an idle network takes `cost`, given that its messages alone take `transfer`.
/// What is not transfer is paid up front: start-ups, and rounds that leave the busiest link idle.
Phase phase_of(std::vector<Message> messages, Seconds cost, Seconds transfer);

/// What a link needs for its bytes.
struct LinkTime {
  std::uint32_t link = 0;  ///< As LinkLoads numbers them.
  Seconds time{};
};

/// Counts what crosses each link of a cluster.
///
/// Assumes max-min fair sharing. A message that shares its links with at most n others has at all
/// times at least a (n+1)-th of them, so the times here are never too small. They are exact for
/// messages of one size whose start-ups are equal where they share a link: those on the link with
/// the largest load/bandwidth then move at exactly that share from the first byte to the last.
class LinkLoads {
 public:
  explicit LinkLoads(const Cluster& cluster);

  /// For each message its path with the share it gets while all the messages move.
  std::vector<Link> shared_links_of(std::span<const Message> messages);

  /// Until the last of the messages, started together, has arrived.
  Seconds round_time(std::span<const Message> messages);

  /// What the busiest link needs for its bytes.
  Seconds transfer_time(std::span<const Message> messages);

  /// What every link that the phases cross needs for all their bytes, by number.
  std::vector<LinkTime> link_times(std::span<const Phase> phases);

  /// A GPU's port, sending and receiving, as link_times() numbers it.
  std::array<std::uint32_t, 2> port_of(Rank rank) const { return {rank, cluster_.ranks() + rank}; }

  std::uint32_t link_count() const { return link_count_; }

 private:
  /// Ports, then NICs, then rack uplinks; each first all sending, then all receiving directions.
  struct Path {
    std::array<std::uint32_t, 6> links{};
    std::uint32_t count = 0;
    void add(std::uint32_t link) { links[count++] = link; }
  };

  Path path_of(const Message& message) const;
  BytesPerSecond bandwidth_of(std::uint32_t link) const;
  Link shared_link_of(const Message& message) const;
  void count(std::span<const Message> messages);
  void clear(std::span<const Message> messages);

  const Cluster& cluster_;
  std::uint32_t first_nic_;
  std::uint32_t first_uplink_;
  std::uint32_t link_count_;
  /// Messages (or bytes) by link; all 0 between two calls, and so for the next who needs some:
  /// zeros for a large cluster take longer than counting what few of its GPUs send.
  using Loads = std::vector<double>;
  struct GiveBack {
    void operator()(Loads* loads) const;
  };
  static std::unique_ptr<Loads, GiveBack> zeros(std::size_t count);
  std::unique_ptr<Loads, GiveBack> loads_;
  Loads& load_;
};

}  // namespace stepcast
