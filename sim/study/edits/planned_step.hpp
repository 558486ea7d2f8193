#pragma once

#include "models/schedule/plan.hpp"
#include "models/workload/workload.hpp"
#include "sim/engine/engine.hpp"
#include "sim/study/edits/editable_step.hpp"

namespace stepcast {

/// A planned step, ready to be edited: each edited one is a plan that the engine simulates. The
/// arguments must outlive it.
EditableStep editable_step(const Plan& plan, const Workload& workload, const Cluster& cluster,
                           const EngineOptions& engine);

}  // namespace stepcast
