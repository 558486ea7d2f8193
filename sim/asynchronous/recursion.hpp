#pragma once

#include <cstdint>
#include <vector>

#include "models/schedule/decentralised/peer_graph.hpp"
#include "sim/asynchronous/world.hpp"

namespace stepcast {

/// A protocol whose partners do not depend on who arrives when, as a recursion over iterations:
///   S_i(k+1) = max(F_i(k), max over out-neighbours j of S_j(k+1 - max_gap))
///   F_i(k) = max(S_i(k) + g_i(k), the (|N_in| - backup)-th smallest of S_j(k - delay) + c_ij)
///            + reduce
/// with S_j + g_j, or a share of it, in place of S_j where a worker sends later; and later still
/// where the messages of its round before occupy its links (Traffic::occupancy).
struct Recursion {
  PeerGraph graph;
  SendTime send = SendTime::Beside;
  std::uint32_t delay = 0;  ///< Of what is averaged with: overlap, or Hop's staleness.
  std::uint32_t backup = 0;
  std::uint32_t max_gap = 0;  ///< 0: no tokens.
};

/// Iteration times (makespan by iterations) of seeds first, first + 1, ...: what the events give,
/// to rounding, where messages take fixed times. O(degree) a worker, iteration and seed, seeds in
/// lockstep.
std::vector<Seconds> recursion_times(const ProtocolJob& job, const Recursion& recursion,
                                     std::uint64_t first_seed, std::uint32_t seeds);

}  // namespace stepcast
