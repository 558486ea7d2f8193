#pragma once

#include <string_view>

#include "traces/job/job.hpp"
#include "traces/job/job_shape.hpp"
#include "traces/readers/reader.hpp"

namespace stepcast {

/// Whether the text begins as BytePS's comm.json does: its processes are "Comm." and a tensor.
bool is_byteps_trace(std::string_view head);

/// A job from what BytePS wrote on its ranks, a comm.json each (BYTEPS_TRACE_ON=1): stages (REDUCE,
/// PUSH, PULL, BROADCAST, ..) of each partition of each tensor. The files are of ranks 0, 1, .. in
/// the order given, unless a folder of the path is a number (BytePS names it after the local rank).
/// A pull ends on nobody before all have pushed: pulls of a partition meet, as do its reductions
/// and broadcasts. Servers and computation are not in it. Throws InputError.
Job read_byteps_job(const std::vector<TraceStream>& files, const JobShape& shape,
                    ImportReport& report);

}  // namespace stepcast
