#pragma once

#include "models/schedule/decentralised/peer_graph.hpp"
#include "sim/asynchronous/world.hpp"

namespace stepcast {

/// Averaging with the neighbours of a graph, in step with them.
struct NeighbourOptions {
  PeerGraph graph;
  SendTime send = SendTime::Beside;
  std::uint32_t delay = 0;  ///< Average with what was sent so many iterations before (1: overlap).
};

/// D-PSGD (Lian et al., NeurIPS 2017) and, with one peer and a delay of 1, stochastic gradient push
/// with overlap (Assran et al., ICML 2019):
/// F_i(k) = max(S_i(k) + g_i(k), max_j (S_j(k - delay) + c_ij)) + reduce, with S_j + g_j or S_j and
/// the forward part of g_j in place of S_j where a worker sends later.
/// Invariant: nobody is further ahead of j than the hops from j to him, times 1 + delay.
ProtocolRun run_neighbours(const ProtocolJob& job, const NeighbourOptions& options);

}  // namespace stepcast
