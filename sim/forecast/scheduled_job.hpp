#pragma once

#include <string>

#include "models/network/cluster.hpp"
#include "models/schedule/list/registry.hpp"
#include "models/workload/workload.hpp"
#include "sim/engine/engine.hpp"
#include "sim/forecast/chance/seeds.hpp"

namespace stepcast {

/// One schedule of a job, with all that decides its step. Refers to workload and cluster, which
/// must outlive it.
struct ScheduledJob {
  const Workload& workload;  ///< Of the batch that is trained; where a schedule partitions the
                             ///< model, as it was profiled: its micro-batch is an option.
  const Cluster& cluster;
  std::string schedule;
  ScheduleOptions options;  ///< As the user gives them.
  EngineOptions engine;
  Chance chance{};

  const ScheduleInfo& info() const { return schedule_of(schedule, options); }
};

}  // namespace stepcast
