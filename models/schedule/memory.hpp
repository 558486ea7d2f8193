#pragma once

#include "models/schedule/options.hpp"
#include "models/schedule/plan.hpp"
#include "models/workload/workload.hpp"

namespace stepcast {

/// The option that every schedule has: none, sgd (momentum), adam, or auto.
OptionInfo optimiser_option();

/// "sgd", where a plan is built without options.
inline constexpr const char* kUsualOptimiser = "sgd";

/// Replaces optimiser=auto by the usual optimiser of the model.
void resolve_optimiser(ScheduleOptions& options, const Workload& workload);

/// Returns the value of that option.
const std::string& optimiser_of(const OptionReader& read);

/// What a rank holds of a plan that does nothing special: all parameters, gradients and optimiser
/// state. Optimiser state is fp32: one value a parameter for sgd, two for adam; 16-bit parameters
/// have a 32-bit master copy beside it. A communication that is not of one gradient has a buffer.
/// Workspaces, the framework's own memory and fragmentation are not counted, so this is what a run
/// needs at least. A schedule that shards or adds state changes it.
MemoryUse usual_memory(const Plan& plan, const Workload& workload, const Cluster& cluster,
                       const std::string& optimiser);

/// Of each kind the larger use: for a period of different steps.
MemoryUse larger_of(const MemoryUse& left, const MemoryUse& right);

}  // namespace stepcast
