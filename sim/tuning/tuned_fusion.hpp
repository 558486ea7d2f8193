#pragma once

#include "sim/tuning/tune.hpp"

namespace stepcast {

/// Options without fusion=bo.
struct ResolvedOptions {
  ScheduleOptions options;
  std::string note;  ///< A sentence on what was found; empty if there was nothing to resolve.
};

/// The options of `job` with `fusion=bo` resolved: a schedule is a pure function of its options and
/// cannot simulate itself, so whoever has an engine calls this before build_plan(). As DeAR does,
/// ten trials of Bayesian optimisation look for the fusion buffer between 1 and 256 MiB, beginning
/// at the fusion_buffer set or at 25 MiB, and the best one tried is taken: the result has
/// fusion=buffer and that fusion_buffer. Options of other schedules, and without fusion=bo, are
/// returned as they are.
ResolvedOptions resolve_fusion(const TuningJob& job);

}  // namespace stepcast
