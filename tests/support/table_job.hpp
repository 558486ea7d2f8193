#pragma once

#include <string>

#include "traces/job/job_formats.hpp"

namespace stepcast {

/// The job of a table of operations with this text, on one clock.
inline Job table_job(const std::string& text, const JobShape& shape = {},
                     const std::string& origin = "made.csv") {
  ImportReport report;
  Job job = read_operations_csv(text, origin, shape, report);
  job.clocks = put_on_one_clock(job);
  return job;
}

}  // namespace stepcast
