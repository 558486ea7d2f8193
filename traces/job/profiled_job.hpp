#pragma once

#include <vector>

#include "traces/job/job.hpp"
#include "traces/job/job_shape.hpp"
#include "traces/job/rank_timeline.hpp"
#include "traces/readers/reader.hpp"

namespace stepcast {

/// A job from what its ranks recorded. Of the host only when it let the device wait is kept. Ranks
/// are numbered as the traces say, else in the order given; places along the axes follow from the
/// shape, tensor fastest, then context, data and pipeline. Without a shape all ranks are
/// data-parallel.
///
/// Steps are told by their names; those that not all ranks recorded whole are left out and counted
/// in `report`, as are collectives without partner. Throws InputError for traces of other jobs.
Job job_of_timelines(std::vector<RankTimeline> timelines, const JobShape& shape,
                     ImportReport& report);

/// A job from the traces that PyTorch's profiler wrote on its ranks, one each.
Job read_profiled_job(const std::vector<TraceStream>& files, const JobShape& shape,
                      ImportReport& report);

}  // namespace stepcast
