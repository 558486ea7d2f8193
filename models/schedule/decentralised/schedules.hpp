#pragma once

#include "models/schedule/schedule_info.hpp"

namespace stepcast {

/// What one worker does by itself in an iteration: forward, backward, update. For memory, samples
/// and the times of the passes.
Plan worker_plan(const Workload& workload, const Cluster& cluster, const OptionReader& read);

}  // namespace stepcast
