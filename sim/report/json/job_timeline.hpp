#pragma once

#include <filesystem>

#include "traces/job/job.hpp"

namespace stepcast {

/// Writes the step of median length of a job, all ranks on one clock, as Chrome trace JSON for
/// Perfetto: a process for each rank, a thread for what it computes and one for each kind of
/// transfer, and an arrow from the rank that came last to each other one of a meeting. It is
/// compressed if the name ends in ".gz". Throws InputError if it cannot be written.
void write_job_trace(const std::filesystem::path& path, const Job& job);

}  // namespace stepcast
