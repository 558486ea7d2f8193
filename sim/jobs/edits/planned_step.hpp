#pragma once

#include "models/schedule/model_parallel/hybrid_job.hpp"
#include "models/schedule/plan.hpp"
#include "models/workload/workload.hpp"
#include "sim/engine/engine.hpp"
#include "sim/jobs/edits/editable_step.hpp"

namespace stepcast {

/// A planned step, ready to be edited: each edited one is a plan that the engine simulates. Plan,
/// cluster and options must outlive it. `stage_of_rank`: as of graph_of().
EditableStep editable_step(const Plan& plan, PlannedModel model, const Cluster& cluster,
                           const EngineOptions& engine,
                           const std::vector<std::uint32_t>& stage_of_rank);

/// Of a plan that does not cut the model.
EditableStep editable_step(const Plan& plan, const Workload& workload, const Cluster& cluster,
                           const EngineOptions& engine);

/// A step of a pipeline, ready to be edited stage by stage: each edited one is a plan that the
/// engine simulates. Plan, cluster and options must outlive it.
EditableStep editable_step(const Plan& plan, const HybridJob& job, const Workload& model,
                           const Cluster& cluster, const EngineOptions& engine);

}  // namespace stepcast
