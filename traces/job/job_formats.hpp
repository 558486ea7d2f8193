#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "traces/formats/reader.hpp"
#include "traces/job/job.hpp"
#include "traces/job/job_shape.hpp"
#include "traces/job/rank_timeline.hpp"

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

/// A rank's timeline from its Chakra graph (JSON or protocol buffers), all of it one step: the work
/// of its device. Computation is one stream and communication another. Where the graph holds no
/// starts, and most do not, everything begins as soon as what it waits for has ended and its stream
/// is free, which is counted as doubtful. Throws InputError.
RankTimeline read_chakra_timeline(const TraceStream& file, ImportReport& report);

/// Whether the text begins as the Chrome JSON of TensorFlow's or MXNet's profiler does: with
/// processes named after devices ("/device:GPU:0", "gpu/0").
bool is_framework_profile(std::string_view head);

/// A rank's timeline from the Chrome JSON of TensorFlow's profiler (trace.json.gz, or the older
/// timeline of a session's run) or MXNet's: the work of its GPU's streams; without a GPU that of
/// its processor. TensorFlow marks steps (its thread "Steps"); else a forward pass behind a
/// backward pass or an update begins one. What work does follows from its names. The tensor and
/// size of a collective are not in it. Throws InputError.
RankTimeline read_framework_profile(const TraceStream& file, ImportReport& report);

/// The timelines of the ranks in an export of Nsight Systems ("nsys export --type=sqlite"): one for
/// each device of each process, in order of devices. Kernels and copies are of the step (an NVTX
/// range such as "step 12", "iteration_12" or "ProfilerStep#12") in which they were launched, and
/// of the pass whose NVTX range ("forward", "backward", "optimizer") held their launch; where no
/// ranges name passes, kernels are told by their names. NCCL's kernels are collectives of unknown
/// size. Without ranges that name steps all is one step. Throws InputError naming the file, and
/// the table or column that is missing.
std::vector<RankTimeline> read_nsight_export(const std::filesystem::path& path,
                                             ImportReport& report);

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

/// Whether the text begins as a table of operations does: its heading has the columns optype,
/// start_ts and duration.
bool is_operations_csv(std::string_view head);

/// A job from the table of its operations, a row each: dp_rank, stage, rank (its number in the
/// whole job), step, optype, start_ts (s since each step, the run or 1970 began), duration (s),
/// seq_id (the how many-th of its type in the step), and, of interleaved pipelines, mb_id
/// (micro-batch) and gmc (chunk of the model, counted through the pipeline, or by each stage for
/// itself, where all have the same; -1: of none). The ranks' clocks are as recorded;
/// edges and meetings are there.
///
/// Steps that not all ranks recorded are left out, and counted in `report`, as is what is not
/// known. Throws InputError that names line and field, or the field of the shape that the table
/// contradicts.
Job read_operations_csv(const std::string& text, const std::string& origin, const JobShape& shape,
                        ImportReport& report);

}  // namespace stepcast
