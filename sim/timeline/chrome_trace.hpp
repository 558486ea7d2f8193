#pragma once

#include <filesystem>
#include <string>

#include "models/schedule/plan.hpp"
#include "models/workload/workload.hpp"
#include "sim/timeline/timeline.hpp"

namespace stepcast {

/// The reported iteration and the one before it as Chrome trace JSON, for Perfetto
/// (ui.perfetto.dev) or chrome://tracing.
///
/// A process for each class of ranks, a thread for each stream ("all-reduce (2)" takes what runs at
/// the same time as another task of the stream), a slice for each task, an arrow for each
/// dependency across streams, and a process "steps" that marks the two iterations. Tensors that
/// were fused are one slice. Times count from the begin of the earlier iteration. Of more than 64
/// classes the first 64 are written, and "otherData" says so.
std::string chrome_trace(const Workload& workload, const Plan& plan, const Timeline& timeline);

/// Writes the trace, compressed if the name ends in ".gz". Throws InputError if it cannot be
/// written; then no half-written file remains.
void write_chrome_trace(const std::filesystem::path& path, const Workload& workload,
                        const Plan& plan, const Timeline& timeline);

}  // namespace stepcast
