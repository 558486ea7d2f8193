#pragma once

#include <string>
#include <vector>

#include "models/workload/workload.hpp"
#include "sim/engine/engine.hpp"
#include "traces/formats/stepcast/experiments/exported_plan.hpp"

namespace stepcast {

/// Who exports a plan, for its provenance.
struct Origin {
  std::string command;               ///< "run --export-plan"
  std::vector<std::string> changes;  ///< Behind the forecast, as typed: "--set batch=8".
};

/// The plan with what the simulation says of its communications on rank 0, for a replay on
/// hardware. Compute keeps its time on an idle device. A stream that negotiates (Horovod) gets the
/// order of the forecast, and what was fused there is one collective. Throws InputError if a stream
/// of the plan runs by priority (ByteScheduler).
ExportedPlan export_plan(const Workload& workload, const Cluster& cluster, const Plan& plan,
                         Fidelity fidelity, const Timeline& timeline, const Origin& origin);

}  // namespace stepcast
