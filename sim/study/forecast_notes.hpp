#pragma once

#include <string>
#include <vector>

#include "models/schedule/registry.hpp"
#include "sim/engine/engine.hpp"
#include "sim/study/tuning/tuned_fusion.hpp"

namespace stepcast {

/// The caveats of a forecast that hold before anything is simulated, each as a sentence: those of
/// the plan, of the fidelity, of memory, of inputs that are missing or of another device, and of
/// the network. `options` are those in force. Whatever prints a step time prints these.
std::vector<std::string> notes_of(const Plan& plan, const Workload& workload,
                                  const Cluster& cluster, const ScheduleOptions& options,
                                  Fidelity fidelity);

/// The same of a job and what was planned for it.
std::vector<std::string> notes_of(const TuningJob& job, const PlannedRun& run);

}  // namespace stepcast
