#pragma once

#include <vector>

#include "models/schedule/schedule_info.hpp"

namespace stepcast::kfac {

/// The options "update", "factor_interval" and "inverse_interval".
std::vector<OptionInfo> update_options();

/// The plan of a period of inverse_interval training steps: the first renews factors and inverses,
/// every factor_interval-th the factors, the others neither. `options` are those in force. Throws
/// InputError if the factors' interval does not divide that of the inverses.
Plan build_period(const ScheduleInfo& schedule, const Workload& workload, const Cluster& cluster,
                  const ScheduleOptions& options);

}  // namespace stepcast::kfac
