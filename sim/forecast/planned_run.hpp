#pragma once

#include <optional>

#include "models/schedule/model_parallel/schedules.hpp"
#include "sim/forecast/tuning/tune.hpp"

namespace stepcast {

/// The strategy that the option `fusion` of `job` names instead of a buffer: "bo", "binary", or
/// empty: none. DeAR's authors use Bayesian optimisation, TopKA2A's a binary search.
std::string fusion_search_of(const ScheduledJob& job);

/// Options without fusion=bo and fusion=binary.
struct ResolvedOptions {
  ScheduleOptions options;
  std::optional<Note> note;  ///< On what was found; none if there was nothing to resolve.
};

/// The options of `job` with `fusion=bo` or `fusion=binary` resolved: a schedule is a pure function
/// of its options and cannot simulate itself, so whoever has an engine calls this before
/// build_plan(). As DeAR does, ten trials of Bayesian optimisation look for the fusion buffer
/// between 1 and 256 MiB, beginning at the fusion_buffer set or at 25 MiB, and the best one tried
/// is taken: the result has fusion=buffer and that fusion_buffer. With fusion=binary, which the
/// schedules of compressed gradients have, ten trials of TopKA2A's binary search look between 0 and
/// the size of the model. Other options are returned as they are.
ResolvedOptions resolve_fusion(const ScheduledJob& job);

/// A schedule of a job, ready to be simulated.
struct PlannedRun {
  Plan plan;                ///< With a note on what tuning found.
  ScheduleOptions options;  ///< In force: what tuning found in place of fusion=bo.
  EngineOptions engine;     ///< Recorded slow-downs are those of the plan's ranks.
  /// Of a schedule that partitions the model, but for its plan and options, which stand above.
  std::optional<HybridRun> pipeline{};
};

/// The plan of a job with what its options ask to be searched found: resolve_fusion(), and
/// partition=best of a model-parallel schedule. A plan is a pure function of its options and cannot
/// simulate itself: the partition that it finds is the best by the passes alone, which know neither
/// updates nor gradients nor what messages share. So the equal and the lightest parts are simulated
/// beside it where they fit as it does, and the shortest step is taken. Throws InputError as
/// build_plan() does, also for an asynchronous schedule, which has no plan.
PlannedRun planned(const ScheduledJob& job);

}  // namespace stepcast
