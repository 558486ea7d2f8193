#pragma once

#include "traces/job/job.hpp"
#include "traces/job/job_shape.hpp"
#include "traces/readers/reader.hpp"

namespace stepcast {

/// A job from the timeline that Horovod's rank 0 wrote. Within the negotiation of a tensor it marks
/// when each rank was ready for it, on its own clock: so all ranks are there. A tensor's all-reduce
/// lasts for all from where they were ready to its end; what it takes is from the last one's mark,
/// cycle, queue and copies included. Throws InputError for a timeline without such marks.
Job read_horovod_job(const TraceStream& file, const JobShape& shape, ImportReport& report);

}  // namespace stepcast
