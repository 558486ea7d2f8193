#pragma once

#include <string>

#include "models/schedule/model_parallel/schedules.hpp"
#include "sim/forecast/scheduled_job.hpp"

namespace stepcast {

/// What would make a job fit its device, in a sentence: single changes of its options that suffice,
/// with the memory that they come to; where none does, several together; where nothing does, how
/// many GPUs would. Memory is worked out, nothing is simulated.
std::string fit_advice(const ScheduledJob& job, const HybridJob& planned);

}  // namespace stepcast
