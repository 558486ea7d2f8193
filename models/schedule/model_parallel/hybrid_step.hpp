#pragma once

#include "models/schedule/model_parallel/hybrid_job.hpp"
#include "models/schedule/plan.hpp"

namespace stepcast {

/// The tasks of one step of a job that cuts its model; see hybrid_plan(), which adds what the plan
/// says of itself.
Plan hybrid_step(const HybridJob& job, const CutModel& model, const Cluster& cluster,
                 const OptionReader& read);

}  // namespace stepcast
