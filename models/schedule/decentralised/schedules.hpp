#pragma once

#include <string_view>
#include <vector>

#include "models/schedule/schedule_info.hpp"

namespace stepcast {

/// Systems whose workers decide at run time whom they wait for: D-PSGD, gradient push, Hop,
/// AD-PSGD, Prague, partial reduce, local SGD and parameter servers without barriers. They have no
/// plan, and build() says so; what they do stands in sim/asynchronous. schedule_of() knows them
/// too, while all_schedules() are those with plans.
const std::vector<ScheduleInfo>& run_time_schedules();

/// Whether it is one of them; false for an unknown name.
bool decides_at_run_time(std::string_view schedule);

/// What one worker does by itself in an iteration: forward, backward, update. For memory, samples
/// and the times of the passes.
Plan worker_plan(const Workload& workload, const Cluster& cluster, const OptionReader& read);

}  // namespace stepcast
