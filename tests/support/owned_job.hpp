#pragma once

#include <string>
#include <utility>

#include "models/schedule/model_parallel/schedules.hpp"
#include "sim/forecast/scenario.hpp"
#include "traces/catalog.hpp"
#include "traces/transformers.hpp"

namespace stepcast {

/// A job with its workload and cluster.
struct OwnedJob {
  Workload workload;
  Cluster cluster;
  std::string schedule;
  ScheduleOptions options{};
  EngineOptions engine{};
  Chance chance{};

  operator ScheduledJob() const {  // NOLINT(google-explicit-constructor)
    return {workload, cluster, schedule, options, engine, chance};
  }
  const ScheduleInfo& info() const { return schedule_of(schedule, options); }
};

/// GPT of 22 billion parameters on so many DGX A100.
inline OwnedJob transformer_scenario(const char* schedule, ScheduleOptions options,
                                     std::uint32_t nodes) {
  OwnedJob job{.workload = *find_transformer_model("transformer:model=gpt-22b,device=a100"),
               .cluster = load_cluster("dgx-a100"),
               .schedule = schedule,
               .options = std::move(options)};
  job.cluster.nodes = nodes;
  return job;
}

}  // namespace stepcast
