#pragma once

#include <span>
#include <string>

#include "models/workload/workload.hpp"
#include "sim/engine/engine.hpp"
#include "traces/readers/stepcast/experiments/exported_plan.hpp"

namespace stepcast {

/// The plan with what the simulation says of its communications on rank 0, for a replay on
/// hardware. Compute keeps its time on an idle device. A stream that negotiates (Horovod) gets the
/// order of the forecast, and what was fused there is one collective. Throws InputError if a stream
/// of the plan runs by priority (ByteScheduler). `settings`: the changes behind the forecast, as
/// typed (KEY=VALUE), for the provenance.
ExportedPlan export_plan(const Workload& workload, const Cluster& cluster, const Plan& plan,
                         Fidelity fidelity, const Timeline& timeline,
                         std::span<const std::string> settings = {});

}  // namespace stepcast
