#pragma once

#include <filesystem>
#include <span>

#include "traces/formats/reader.hpp"
#include "traces/job/job.hpp"

namespace stepcast {

/// Reads the traces of a job's ranks (a table of operations holds all of them). `job_file` says
/// what the traces do not, see read_job_shape(); empty: nothing. Throws InputError.
Job read_job(std::span<const std::filesystem::path> paths, const std::filesystem::path& job_file,
             ImportReport& report);

}  // namespace stepcast
