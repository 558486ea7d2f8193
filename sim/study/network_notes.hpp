#pragma once

#include <string>
#include <vector>

#include "models/network/cluster.hpp"
#include "models/schedule/plan.hpp"
#include "sim/engine/engine.hpp"

namespace stepcast {

/// What a forecast took from measured collectives that was not measured: extrapolated times, other
/// collectives in their place, closed forms. Each as a sentence; empty for other clusters.
std::vector<std::string> curve_notes(const Plan& plan, const Cluster& cluster, Fidelity fidelity);

/// What limits every forecast on this cluster: the notes of its provenance that begin with
/// "caveat: ", each as "Caveat of the cluster: ...".
std::vector<std::string> caveats_of(const Cluster& cluster);

/// Both, and what jitter adds: where a forecast on a cluster with measured collectives or
/// jitter goes beyond what was measured, each as a sentence; empty for other clusters.
std::vector<std::string> network_notes(const Plan& plan, const Cluster& cluster, Fidelity fidelity);

}  // namespace stepcast
