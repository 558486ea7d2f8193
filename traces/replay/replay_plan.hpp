#pragma once

#include <optional>
#include <vector>

#include "models/network/cluster.hpp"
#include "models/schedule/plan.hpp"
#include "traces/replay/bucket_change.hpp"
#include "traces/replay/recorded_step.hpp"

namespace stepcast {

/// What to change in a recorded step.
struct WhatIf {
  bool predict_collectives = false;  ///< By the cluster's network; else their recorded durations.
  double device_speed = 1;           ///< Kernels and copies run so many times faster.
  double host_speed = 1;             ///< The host threads run so many times faster.
  bool without_host = false;         ///< What is not is_of_device() takes no time.
  std::vector<CollectiveKind> without;  ///< Collectives of these kinds cost nothing.
  std::optional<BucketSizes> buckets;   ///< Gradients are reduced in buckets of these sizes.
};

/// A plan of the recorded steps, one after the other. Its tasks are numbered as those of the steps.
struct ReplayPlan {
  Plan plan;
  RecordedStep joined;        ///< The changed steps as one. Its tasks are the plan's, in order.
  std::vector<TaskId> begin;  ///< Of each step: its first task.
};

/// Precondition: at least one step; one rank, or predict_collectives.
///
/// Throws InputError, beginning with a step's name, if `buckets` is given and the gradients are not
/// known, and if a collective is to be predicted that was recorded without its kind or size, that
/// is a point-to-point transfer (whose peer is not known), or that a part of the job's ranks ran
/// (which of them is not known).
ReplayPlan replay_plan(const std::vector<RecordedStep>& steps, const Cluster& cluster,
                       const WhatIf& change);

}  // namespace stepcast
