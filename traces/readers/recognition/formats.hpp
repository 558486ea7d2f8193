#pragma once
// Formats of traces, a folder each: what import.cpp tries one after the other.

#include "traces/readers/reader.hpp"

namespace stepcast {

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

/// The graph.txt of PipeDream's profiler (Narayanan et al., SOSP 2019): measured forward and
/// backward times of every module, sizes of outputs and parameters, and which module feeds which.
///
/// Each module becomes a layer. The Input node holds the time of data loading and is dropped. The
/// file names neither model, GPU nor batch: the model is the name of the file's folder, the batch
/// follows from the linear layers' outputs, or else from the options.
const TraceReader& pipedream_reader();

}  // namespace stepcast
