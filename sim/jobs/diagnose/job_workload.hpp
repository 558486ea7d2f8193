#pragma once

#include "models/workload/workload.hpp"
#include "traces/job/job.hpp"

namespace stepcast {

/// The step of a job as a workload, so that it can be forecast on other networks, of
/// other sizes and with other schedules: a mean over ranks and steps, or, with `ideal`, without
/// delays and with every kernel as long as the mean of its kind.
///
/// Of several stages see pipeline_workload_of(). Else a layer is what the backward pass computes
/// between two all-reduces (or reduce-scatters) becoming ready, with the bytes of the second as
/// parameters; forward passes are divided like the backward ones, which is assumed. Delays are a
/// layer of kind HostGap. Steps with another number of all-reduces than most are left out.
///
/// Throws InputError for a job without gradients of known size, and for profiles with tensor or
/// context parallelism.
Workload workload_of(const Job& job, bool ideal);

}  // namespace stepcast
