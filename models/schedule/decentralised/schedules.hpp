#pragma once

#include <vector>

#include "models/schedule/schedule_info.hpp"

namespace stepcast {

/// The asynchronous schedules, whose workers choose at run time whom they wait for: D-PSGD,
/// gradient push, Hop, AD-PSGD, Prague, partial reduce, local SGD and parameter servers without
/// barriers. They have no plan, and build() says so; what they do stands in sim/asynchronous.
std::vector<ScheduleInfo> asynchronous_schedules();

/// What one worker does by itself in an iteration: forward, backward, update. For memory, samples
/// and the times of the passes.
Plan worker_plan(const Workload& workload, const Cluster& cluster, const OptionReader& read);

}  // namespace stepcast
