#pragma once

#include <functional>

#include "sim/forecast/schedule_run.hpp"
#include "sim/forecast/scheduled_job.hpp"

namespace stepcast {

/// Plan, simulation and report of a schedule that partitions the model. `planned` is called before
/// the simulation; it may be empty. Throws InputError.
ScheduleRun hybrid_result_of(const ScheduledJob& job,
                             const std::function<void(const Plan&)>& planned = {});

}  // namespace stepcast
