#pragma once

#include "models/schedule/model_parallel/hybrid_job.hpp"
#include "sim/forecast/scheduled_job.hpp"

namespace stepcast {

/// How the job is simulated: recorded steps of a pipeline's ranks are those of the ranks of
/// `planned`. A rank takes those of a recorded rank of each stage that it holds, by their shares of
/// its passes' time; copies beyond those recorded begin again, and where some would count more
/// often than others, a step may begin with any recorded copy. Other laws stay. Throws InputError
/// for a recording of other stages.
EngineOptions engine_of(const ScheduledJob& job, const HybridJob& planned);

}  // namespace stepcast
