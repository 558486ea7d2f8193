#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "models/collective/collective.hpp"
#include "models/network/team.hpp"
#include "sim/engine/engine.hpp"
#include "sim/engine/event_queue.hpp"
#include "sim/engine/folding/folding.hpp"

namespace stepcast {

/// Groups of a team that communicate at the same time, each by itself and all alike.
struct Participants {
  const Team* team = nullptr;  ///< Needed until start() returns; where there is an id, for good.
  std::span<const std::uint32_t> groups;
  std::uint32_t id = kNone;  ///< The same id: the same groups. kNone: made on the spot.
  /// Bytes alone: the caller lets the start-up of a message pass behind them.
  bool without_startup = false;

  const Group& representative() const { return team->groups[groups.front()]; }
};

/// What tells apart collectives that behave differently, among participants that have an id.
using CollectiveKey = std::tuple<CollectiveKind, Algorithm, double, std::uint32_t,
                                 std::vector<double>, std::uint32_t, bool>;

inline CollectiveKey key_of(const Collective& collective, const Participants& participants) {
  return {collective.kind,   collective.algorithm, collective.size.value,       collective.root,
          collective.shares, participants.id,      participants.without_startup};
}

/// What passes before a message moves, of the slowest of a group. Kind: Send.
Seconds message_startup(const Collective& collective, const Group& group, const Cluster& cluster);

/// Carries out collectives in simulated time, at one fidelity.
class NetworkBackend {
 public:
  using Done = std::function<void()>;

  virtual ~NetworkBackend() = default;

  /// Makes SimGrid the clock and what moves all flows from here on; `fold`: those of equal rates as
  /// one. At most once, within simulate_alone() and before the first event. Does nothing where
  /// there are no flows.
  virtual void run_on_simgrid(bool /*fold*/) {}

  /// Starts `collective` in every one of the groups after `delay`; calls `done` when it has
  /// finished everywhere.
  virtual void start(const Collective& collective, const Participants& participants, Seconds delay,
                     Done done) = 0;

  /// From now on the ports of these ranks carry `share` of their bandwidth, 0 < share <= 1.
  virtual void set_ports(std::span<const Rank> ranks, double share) = 0;
};

/// Throws InputError if a message is larger than kLargestMessage.
void check_size(const Message& message);

/// `ports_differ`: set_ports() may give ranks of one node
/// different shares. Throws InputError if the cluster cannot be built.
std::unique_ptr<NetworkBackend> make_network_backend(Fidelity fidelity, const Cluster& cluster,
                                                     EventQueue& queue, const Folding& folding,
                                                     bool ports_differ = false);

/// Flows as at Fidelity::Flow, on links of our own, whose sharing is found near what has changed
/// alone (Reach::Near): what analytic fidelity takes where transfers meet by chance. A transfer
/// costs some microseconds however large the cluster is.
std::unique_ptr<NetworkBackend> make_near_network(const Cluster& cluster, EventQueue& queue);

}  // namespace stepcast
