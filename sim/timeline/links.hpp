#pragma once

#include <string>
#include <vector>

#include "models/schedule/plan.hpp"

namespace stepcast {

/// What crosses a link in one iteration, in one direction.
struct LinkLoad {
  std::string name;  ///< "every NIC (16 alike)", "NIC of node 3, out"
  std::uint32_t alike = 1;
  Bytes bytes{};
  BytesPerSecond bandwidth{};
  double utilisation = 0;  ///< bytes / (bandwidth * iteration time)
};

/// The busiest links: of each level (GPU port, NIC, rack uplink) one line where all carry the same,
/// else the three that carry most. Busiest level first.
///
/// NICs and uplinks carry the edge flows of the collectives. A GPU's port carries what its rank
/// sends, taken as the average of its group (exact for rings).
std::vector<LinkLoad> link_loads_of(const Plan& plan, const Cluster& cluster, Seconds iteration);

/// Bytes that one GPU sends in one iteration, on average over all GPUs.
Bytes sent_per_gpu(const Plan& plan, const Cluster& cluster);

}  // namespace stepcast
