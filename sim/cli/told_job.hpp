#pragma once

#include <string>
#include <vector>

#include "traces/job/job.hpp"

namespace stepcast {

/// The job that the files recorded, with its job file (empty: none). What was skipped or doubtful
/// is told on stderr; with `strict` it is refused. Throws InputError.
Job told_job(const std::vector<std::string>& files, const std::string& job_file, bool strict);

}  // namespace stepcast
