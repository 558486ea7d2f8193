#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/schedule/model_parallel/hybrid_plan.hpp"

namespace stepcast {

/// The pipeline schedules by the order of their passes: gpipe, 1f1b, interleaved, zb-h1, zb-h2,
/// zb-v, dualpipe, and `pipeline`, whose order is the user's. With one stage each is tensor and
/// data parallelism alone.
const std::vector<ScheduleInfo>& pipelines();

/// Null for another name.
const ScheduleInfo* find_pipeline(std::string_view name);

/// What Megatron runs: 1f1b, or its interleaved form for several parts of the model on a rank.
const ScheduleInfo& megatron_pipeline(bool several_parts);

/// What a recorded job ran: gpipe, where the last stage began no backward pass among its forward
/// ones, or else what Megatron runs.
const ScheduleInfo& recorded_order(bool several_parts, bool alternates);

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
