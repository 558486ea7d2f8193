#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/schedule/model_parallel/hybrid_plan.hpp"

namespace stepcast {

/// A job with the plan of its step and the options in force.
struct HybridRun {
  HybridJob job;
  HybridPlan hybrid;
  ScheduleOptions options;
};

/// Throws InputError for an unknown option (nearest named) or a bad value.
HybridJob hybrid_job_of(const ScheduleInfo& pipeline, const Workload& model, const Cluster& cluster,
                        const ScheduleOptions& options);
/// `slowness` is the compute time of each rank over its usual time, which partition=best and time
/// weigh; empty: no rank is slow.
HybridRun build_hybrid(const ScheduleInfo& pipeline, const Workload& model, const Cluster& cluster,
                       const ScheduleOptions& options, std::span<const double> slowness = {});

}  // namespace stepcast
