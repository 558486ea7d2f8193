#pragma once

#include "models/schedule/model_parallel/schedules.hpp"
#include "sim/forecast/schedule_run.hpp"
#include "sim/forecast/scheduled_job.hpp"

namespace stepcast {

/// What passes of a micro-batch are of: the name says its batch.
Workload workload_of_passes(const Workload& model, std::uint32_t micro_batch);

/// Adds to a forecast of a schedule that partitions the model what only such have: stages and why
/// they wait, the layout, utilisation, and what would make it fit. `pipeline`: see PlannedRun.
void add_pipeline(ScheduleRun& run, const ScheduledJob& job, const HybridRun& pipeline);

}  // namespace stepcast
