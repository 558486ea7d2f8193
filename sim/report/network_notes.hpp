#pragma once

#include <string>
#include <vector>

#include "models/network/cluster.hpp"
#include "models/schedule/plan.hpp"
#include "sim/engine/engine.hpp"

namespace stepcast {

/// Where a forecast on a cluster with measured collectives or jitter goes beyond what was measured,
/// each as a sentence; empty for other clusters.
std::vector<std::string> network_notes(const Plan& plan, const Cluster& cluster, Fidelity fidelity);

}  // namespace stepcast
