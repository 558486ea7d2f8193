#pragma once

#include <cstdint>
#include <string>

#include "models/collective/collective.hpp"
#include "models/network/cluster.hpp"
#include "sim/engine/engine.hpp"

namespace stepcast {

/// One collective over all ranks of a cluster, as a benchmark such as nccl-tests measures it.
struct CollectiveRun {
  Collective collective;
  std::uint32_t ranks = 1;
  Fidelity fidelity = Fidelity::Flow;
  Seconds time{};     ///< From the call to the end on all ranks; launch overhead included.
  std::string basis;  ///< "closed form", "measured" or "extrapolated"; the curves' part of it.

  BytesPerSecond algorithm_bandwidth() const { return collective.size / time; }
  BytesPerSecond bus_bandwidth() const {
    return algorithm_bandwidth() * bus_factor(collective.kind, ranks);
  }
};

/// Simulates collectives one after the other, each starting when the one before has finished, and
/// returns the time of one.
CollectiveRun run_collective(const Collective& collective, const Cluster& cluster,
                             Fidelity fidelity);

/// The cluster cut down to its first `gpus` ranks: whole nodes, or part of one node. Throws
/// InputError for any other number.
Cluster first_ranks_of(Cluster cluster, std::uint32_t gpus);

}  // namespace stepcast
