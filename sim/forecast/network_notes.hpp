#pragma once

#include <optional>
#include <span>

#include "models/network/cluster.hpp"
#include "models/schedule/plan.hpp"
#include "sim/engine/engine.hpp"
#include "sim/timeline/links.hpp"

namespace stepcast {

/// What a forecast took from measured collectives that was not measured: extrapolated times, other
/// collectives in their place, closed forms. Empty for other clusters.
Notes curve_notes(const Plan& plan, const Cluster& cluster, Fidelity fidelity);

/// "Costs of the cluster not given, taken as 0: software.collective_launch, ...": those that its
/// file leaves out. None if it gives all.
std::optional<Note> note_on_costs(const Cluster& cluster);

/// That NCCL's tuner, by whose constants Algorithm::Nccl takes rings or trees, expects a faster
/// network than this one; none on one node, and where measured curves tell times instead.
std::optional<Note> note_on_tuner(const Cluster& cluster, Fidelity fidelity);

/// What limits every forecast on this cluster: the caveats of its provenance, each as
/// "Caveat of the cluster: ...", and note_on_costs().
Notes caveats_of(const Cluster& cluster);

/// That a cluster was made larger than the one that its measured figures are of; empty where it was
/// not, and where no figure of it is measured.
Notes size_notes(const Cluster& described, const Cluster& used);

/// Why a link carries more than its bandwidth allows, and which fidelity knows; empty where none
/// does.
Notes overload_notes(std::span<const LinkLoad> links, const Cluster& cluster, Fidelity fidelity);

/// Curves, caveats, and what jitter adds: where a forecast on a cluster with measured collectives
/// or jitter goes beyond what was measured; empty for other clusters. note_on_tuner(), if the plan
/// has collectives of Algorithm::Nccl.
Notes network_notes(const Plan& plan, const Cluster& cluster, Fidelity fidelity);

}  // namespace stepcast
