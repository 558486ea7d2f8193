#pragma once

#include "models/network/cluster.hpp"
#include "models/schedule/plan.hpp"
#include "models/workload/workload.hpp"

namespace stepcast {

/// What a training step of the plan's passes takes on a GPU that need not communicate: passes (FF +
/// BP) + update of the trace, or what a worker of the plan updates where workers share it: else
/// GPUs that share the update would be more than fully used. Where the plan's hosts take time
/// (software.host_*), what one GPU takes with its host, simulated: milliseconds of work.
Seconds time_alone(const Workload& workload, const Cluster& cluster, const Plan& plan);

}  // namespace stepcast
