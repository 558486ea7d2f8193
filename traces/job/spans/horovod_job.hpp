#pragma once

#include <vector>

#include "traces/job/job.hpp"
#include "traces/job/job_shape.hpp"
#include "traces/readers/reader.hpp"

namespace stepcast {

/// A job from the timeline that Horovod's rank 0 wrote. Within the negotiation of a tensor it marks
/// when each rank was ready for it, on its own clock: so all ranks are there. A negotiation lasts
/// from the last rank's mark until the operation begins: the cycle and the answer. Tensors whose
/// operations overlap share a fusion buffer, of which there is one at a time: copy in, all-reduce,
/// copy out, as rank 0 recorded them and so taken for all ranks.
///
/// `chunks`: what NCCL recorded on each rank (read_ring_chunks()); may be none. A buffer's
/// all-reduce then is its chunks: the first is sent when all ranks are there, each is sent on when
/// it has been received, a send and its receive meet. The n-th all-reduce of a file is that of the
/// timeline's n-th buffer. Throws InputError for a timeline without marks, or chunks of other
/// all-reduces.
Job read_horovod_job(const TraceStream& file, const JobShape& shape, ImportReport& report,
                     const std::vector<TraceStream>& chunks = {});

}  // namespace stepcast
