#pragma once

#include "models/network/slow_down.hpp"
#include "models/schedule/model_parallel/hybrid_job.hpp"

namespace stepcast {

/// Recorded steps of a pipeline's ranks as those of the job's: a rank takes those of a recorded
/// rank of each stage that it holds, by their shares of its passes' time; copies beyond those
/// recorded begin again, and where some would count more often than others, a step may begin with
/// any recorded copy. Other laws stay. Throws InputError for a recording of other stages.
SlowDown slow_downs_by_stage(SlowDown slow, const HybridJob& job, const Workload& workload);

}  // namespace stepcast
