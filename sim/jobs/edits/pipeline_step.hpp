#pragma once

#include "models/schedule/model_parallel/hybrid_job.hpp"
#include "sim/engine/engine.hpp"
#include "sim/jobs/edits/editable_step.hpp"

namespace stepcast {

/// A step of a pipeline, ready to be edited stage by stage: each edited one is a plan that the
/// engine simulates. Plan, cluster and options must outlive it.
EditableStep editable_step(const Plan& plan, const HybridJob& job, const Workload& model,
                           const Cluster& cluster, const EngineOptions& engine);

}  // namespace stepcast
