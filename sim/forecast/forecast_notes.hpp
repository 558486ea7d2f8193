#pragma once

#include "models/schedule/list/registry.hpp"
#include "sim/engine/engine.hpp"
#include "sim/forecast/forecast.hpp"
#include "sim/forecast/planned_run.hpp"

namespace stepcast {

/// The caveats of a forecast that hold before anything is simulated, those of the plan, of the
/// fidelity, of memory, of inputs that are missing or of another device, and of the network.
/// Whatever prints a step time prints these.
Notes notes_of(const Plan& plan, const Workload& workload, const Cluster& cluster,
               Fidelity fidelity);

/// The same of a job and what was planned for it.
Notes notes_of(const ScheduledJob& job, const PlannedRun& run);

/// The notes that a user must know to trust the result: what does not fit, inputs that are missing
/// or of another device, settings that changed nothing, no steady state.
Notes warnings_of(const Forecast& forecast);

}  // namespace stepcast
