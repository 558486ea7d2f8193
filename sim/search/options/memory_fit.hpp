#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/forecast/planned_run.hpp"
#include "sim/jobs/edits/recipes.hpp"

namespace stepcast {

/// A job as it fits into memory, or as a search for options left it.
struct FoundJob {
  std::optional<Workload> pass{};  ///< Of one pass, where the batch is divided into several.
  ScheduleOptions options;
  PlannedRun run;                    ///< Its plan repeats no steps.
  std::vector<EditRequest> edits{};  ///< What else makes it fit: recomputation.
  Bytes before{};                    ///< What a GPU held as the job was,
  Bytes memory{};                    ///< and holds with all of these.
  std::vector<std::string> notes{};

  /// The job with what was found. Refers to both.
  ScheduledJob applied_to(const ScheduledJob& job) const;
};

/// Returns the job as it is, with these options in place of its own.
FoundJob found_with(ScheduledJob job, const ScheduleOptions& options);

/// Returns what a rank keeps of activations that it computes again in segments of sqrt(n) layers:
/// the last outputs of the segments, and all of the largest one (Chen et al., 2016).
Bytes recomputed_activations(const Workload& workload);

/// Returns a job, whose schedule does not cut the model, within a budget (0: no matter): as it is,
/// or with recomputation or as many passes of a smaller batch (2, 4, .. 64) as it takes, whichever
/// is faster (Hu et al., dPRO, MLSys'22), which a note tells. Throws InputError with what would be
/// enough if neither fits.
FoundJob fitted_job(const ScheduledJob& job, Bytes budget);

}  // namespace stepcast
