#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "traces/formats/reader.hpp"

namespace stepcast {

/// Formats of the work of whole jobs, which "stepcast diagnose" alone reads.
enum class JobFormat : std::uint8_t {
  OperationsTable,   ///< CSV, a row for each operation of each rank.
  NsightExport,      ///< A database that Nsight Systems exports.
  BytepsWorker,      ///< BytePS's comm.json of a rank.
  BytepsServers,     ///< Messages and sums of BytePS's servers.
  RingChunks,        ///< What NCCL's rings of a rank sent, beside Horovod's timeline.
  FrameworkProfile,  ///< TensorFlow's or MXNet's profiler.
};

/// The format of a file: one of a job's, or that of a reader, or none.
struct RecognisedFile {
  std::optional<JobFormat> job;
  const TraceReader* reader = nullptr;

  /// As error messages show it; nullopt: no known format.
  std::optional<std::string> name() const;
};

/// Recognises the format of a file by its content; all commands that read traces ask it. It looks
/// at the first 256 KiB, at the outer keys of a JSON object whose front says nothing, and at the
/// whole first message of protocol buffers. Throws InputError for an empty file, an archive and the
/// output of a tool that no command reads, with what to do.
RecognisedFile recognise(const std::filesystem::path& path);

/// Says which command reads a file that is no trace for a reader; empty if none does.
std::string command_for(const std::filesystem::path& path, const RecognisedFile& file);

/// Returns the readers in the order in which they are tried: the first that takes a file has it. A
/// new format is a folder under traces/formats, a function below and an entry in the list of
/// recognised_file.cpp.
std::span<const TraceReader* const> trace_readers();

/// Chakra graphs (Sridharan et al. 2023; MLCommons): nodes of one step with durations and
/// dependencies, as JSON or protocol buffers.
///
/// The graph names no layers and holds no times but durations: see layers_of(ChakraOperator...) for
/// what is concluded, and the notes of the workload for what is not known.
const TraceReader& chakra_reader();

/// What DistributedDataParallel's _get_ddp_logging_data() returns, as JSON: among much else the
/// sizes of its gradient buckets, "bucket_sizes" and, once they were rebuilt in ready order,
/// "rebuilt_bucket_sizes", in bytes as "1048576, 26214400". It holds no times of layers: it can be
/// inspected, and imported beside a profiler's trace, to which it adds the buckets.
const TraceReader& ddp_logging_reader();

/// Ready gaps as Espresso's authors published them (Wang et al., EuroSys 2023): for each model its
/// gradients in ready order as [name, elements, microseconds since the one before]. options.model
/// says which model of the file.
const TraceReader& espresso_reader();

/// PyTorch execution traces (ExecutionTraceObserver, schema 1.x): operators with the shapes of
/// their tensors, and collectives, without times. They can be inspected, and imported beside a
/// profiler's trace, to which they add the sizes of the gradients.
const TraceReader& execution_trace_reader();

/// Horovod's timeline (HOROVOD_TIMELINE): a Chrome trace with a process for each tensor, whose
/// NEGOTIATE_ALLREDUCE begins when the tensor is ready and whose ALLREDUCE ends with its type and
/// shape. The list of events may lack its end, as Horovod leaves it when the job is stopped.
const TraceReader& horovod_timeline_reader();

/// Traces of the PyTorch profiler (Kineto): Chrome JSON of one rank, or one file for each of
/// several ranks of one job.
const TraceReader& kineto_reader();

/// The graph.txt of PipeDream's profiler (Narayanan et al., SOSP 2019): measured forward and
/// backward times of every module, sizes of outputs and parameters, and which module feeds which.
///
/// Each module becomes a layer. The Input node holds the time of data loading and is dropped. The
/// file names neither model, GPU nor batch: the model is the name of the file's folder, the batch
/// follows from the linear layers' outputs, or else from the options.
const TraceReader& pipedream_reader();

/// StepCast's own workload format.
const TraceReader& stepcast_reader();

}  // namespace stepcast
