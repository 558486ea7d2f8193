#pragma once

#include "traces/job/job.hpp"

namespace stepcast {

/// Throws InputError for a job of several stages whose passes do not tell those of a workload: one
/// without so many micro-batches as the job file must say, with a stage that no rank recorded, with
/// another number of micro-batches in some copies, or without messages between stages.
void check_recorded_passes(const Job& job);

/// Throws InputError for profiles with tensor or context parallelism, of however many stages.
void refuse_profiled_groups(const Job& job);

/// Whether backward passes of a rank of the last stage begin before its last forward pass.
bool passes_alternate(const Job& job);

}  // namespace stepcast
