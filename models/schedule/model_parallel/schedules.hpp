#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/schedule/model_parallel/hybrid_plan.hpp"

namespace stepcast {

/// A way to train that cuts the model: a name, its options, and the order of its passes.
struct PipelineInfo {
  std::string name;     ///< "1f1b"
  std::string summary;  ///< One line.
  std::string source;   ///< Paper.
  std::vector<OptionInfo> options;
  OrderMaker order;
  bool of_user = false;      ///< The order of passes is an option.
  bool holds_twice = false;  ///< Each part of the model; searched only where it is named.
  std::uint32_t chunks = 1;  ///< Parts of the model on each rank, unless an option says so.
};

/// Pipelines by the order of their passes: gpipe, 1f1b, interleaved, zb-h1, zb-h2, zb-v,
/// dualpipe, and `pipeline`, whose order is the user's. With one stage each is tensor and data
/// parallelism alone.
const std::vector<PipelineInfo>& pipelines();
std::vector<std::string> pipeline_names();

/// Null for another name.
const PipelineInfo* find_pipeline(std::string_view name);

/// What Megatron runs: 1f1b, or its interleaved form for several parts of the model on a rank.
const PipelineInfo& megatron_pipeline(bool several_parts);

/// What a recorded job ran: gpipe, where the last stage began no backward pass among its forward
/// ones, or else what Megatron runs.
const PipelineInfo& recorded_order(bool several_parts, bool alternates);

/// A job with the plan of its step and the options in force.
struct HybridRun {
  HybridJob job;
  HybridPlan hybrid;
  ScheduleOptions options;
};

/// Throws InputError for an unknown option (nearest named) or a bad value.
HybridJob hybrid_job_of(const PipelineInfo& pipeline, const CutModel& model, const Cluster& cluster,
                        const ScheduleOptions& options);
HybridRun build_hybrid(const PipelineInfo& pipeline, const CutModel& model, const Cluster& cluster,
                       const ScheduleOptions& options);

}  // namespace stepcast
