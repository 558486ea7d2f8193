#pragma once

#include "traces/job/job.hpp"
#include "traces/job/job_shape.hpp"
#include "traces/readers/reader.hpp"

namespace stepcast {

/// A job of BytePS with its servers, each a rank behind the workers: of each partition a worker's
/// PUSH_REQ -> PUSH_RES -> PULL_REQ -> PULL_RES, a server's COPY_FIRST -> SUM .. -> COPY_MERGED ->
/// all PULL_RES. Which push a copy or sum takes is decided by arrival, also in a replay. A
/// direction between a worker and a server carries the data of one message at a time, a thread of a
/// server does one thing. What workers compute leads up to their pushes.
///
/// Times of messages are on the receiver's clock. Clocks are put right here: an answer begins after
/// its question has ended, which bounds each pair from both sides; they are moved to the middle.
/// Partitions but the last of their tensor are of one size and compared with each other. `files`:
/// as read_server_events() takes them. Throws InputError.
Job read_byteps_server_job(const std::vector<TraceStream>& files, const JobShape& shape,
                           ImportReport& report);

}  // namespace stepcast
