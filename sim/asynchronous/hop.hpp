#pragma once

#include "models/schedule/decentralised/peer_graph.hpp"
#include "sim/asynchronous/world.hpp"

namespace stepcast {

/// Luo, Lin, Zhuo, Qian: Hop, ASPLOS 2019.
struct HopOptions {
  PeerGraph graph;              ///< Of one round.
  std::uint32_t max_gap = 0;    ///< Tokens of each queue at the start (max_ig); 0: no tokens.
  std::uint32_t backup = 0;     ///< In-neighbours that need not be waited for.
  std::uint32_t staleness = 0;  ///< Iterations that an update may be old.
  std::uint32_t max_skip = 0;   ///< Iterations that may be skipped at once; 0: none.
  /// Skip where every queue holds more tokens; with fewer than max_gap even those in step would.
  std::uint32_t skip_trigger = 0;
};

/// Throws InputError for more backups than in-neighbours less one, for backups without tokens,
/// which leave the gap without bound, and for skipping without tokens, with a trigger below
/// max_gap, or without backups or staleness, as neighbours lack the updates skipped.
void check_hop(const HopOptions& options);

/// State: UpdateQ(i), entries taken by iteration; TokenQ(j -> i) at each out-neighbour j of i.
/// Entering an iteration takes a token of each TokenQ(j -> i) and puts one into each TokenQ(i ->
/// m). Invariants: size of TokenQ(j -> i) = Iter(j) - Iter(i) + max_gap; UpdateQ holds no more than
/// (1 + max_gap) |N_in|; Iter(i) - Iter(j) within the bounds of the paper's table 1.
/// Throws SimulationError naming who waits for what if all wait for good.
ProtocolRun run_hop(const ProtocolJob& job, const HopOptions& options);

}  // namespace stepcast
