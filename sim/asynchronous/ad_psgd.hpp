#pragma once

#include <optional>

#include "models/schedule/decentralised/peer_graph.hpp"
#include "sim/asynchronous/world.hpp"

namespace stepcast {

/// What keeps pairs from waiting for each other in a ring.
enum class PairRule : std::uint8_t {
  Bipartite,  ///< Even workers ask, odd ones serve in the order of asking (the paper's).
  RankOrder,  ///< All ask; of two the lower rank is locked first.
  None,       ///< All ask, and hold themselves while they wait for the other.
};

/// Whether a worker computes while its model is averaged.
enum class Averaging : std::uint8_t {
  Beside,    ///< A thread of its own averages (the paper's implementation).
  Blocking,  ///< One after the other, as the paper's algorithm 1 reads: gradient, averaging,
             ///< update.
};

struct AdPsgdOptions {
  /// The neighbours among which a worker draws its partner. Without a graph it draws among all.
  std::optional<PeerGraph> graph;
  PairRule rule = PairRule::Bipartite;
  Averaging averaging = Averaging::Beside;
  Seconds sum{};  ///< Adding two models up where they are kept, behind their exchange.
};

/// AD-PSGD (Lian, Zhang, Zhang, Liu, ICML 2018): while a worker computes, it averages its model
/// with a neighbour drawn at random, a model each way; one that serves is a queue of requests. With
/// Averaging::Blocking it asks behind its gradient, and nobody reads or updates a model that is
/// being averaged. Runs
/// until all together have done workers x iterations. Throws InputError where an even worker has no
/// odd neighbour, SimulationError naming the ring of those who wait for each other, which only
/// PairRule::None has.
ProtocolRun run_ad_psgd(const ProtocolJob& job, const AdPsgdOptions& options);

}  // namespace stepcast
