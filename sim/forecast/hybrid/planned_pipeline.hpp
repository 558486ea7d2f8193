#pragma once

#include "models/schedule/model_parallel/schedules.hpp"
#include "sim/forecast/scheduled_job.hpp"

namespace stepcast {

/// build_hybrid() of the job with partition=best resolved. A plan is a pure function of its
/// options and cannot simulate itself: what it finds is the best by the passes alone, which know
/// neither updates nor gradients nor what messages share. So the equal and the lightest parts are
/// simulated beside it where they fit as it does, and the shortest step is taken.
HybridRun planned_pipeline(const ScheduledJob& job);

}  // namespace stepcast
