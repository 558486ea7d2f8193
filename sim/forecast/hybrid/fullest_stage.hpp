#pragma once

#include "models/schedule/model_parallel/hybrid_job.hpp"

namespace stepcast {

/// What a rank of the stage that holds most needs. Nothing is simulated for it.
Bytes fullest_stage(const HybridJob& job, const Workload& model);

}  // namespace stepcast
