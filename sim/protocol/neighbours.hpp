#pragma once

#include "models/schedule/decentralised/peer_graph.hpp"
#include "sim/protocol/world.hpp"

namespace stepcast {

/// Averaging with the neighbours of a graph, in step with them.
struct NeighbourOptions {
  PeerGraph graph;
  bool serial = false;      ///< Send after the gradient instead of beside it.
  std::uint32_t delay = 0;  ///< Average with what was sent so many iterations before (1: overlap).
};

/// D-PSGD (Lian et al., NeurIPS 2017) and, with one peer and a delay of 1, stochastic gradient push
/// with overlap (Assran et al., ICML 2019):
/// F_i(k) = max(S_i(k) + g_i(k), max_j (S_j(k - delay) + c_ij)) + reduce.
/// Invariant: nobody is further ahead of j than the hops from j to him, times 1 + delay.
ProtocolRun run_neighbours(const ProtocolJob& job, const NeighbourOptions& options);

}  // namespace stepcast
