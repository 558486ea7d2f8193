#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "traces/job/profiled_job.hpp"
#include "traces/readers/import.hpp"

namespace stepcast {

/// The job whose ranks' profiles these texts are, on one clock.
inline Job profiled_job_of(const std::vector<std::string>& texts, const JobShape& shape = {}) {
  std::vector<TraceStream> files;
  for (std::size_t rank = 0; rank < texts.size(); ++rank)
    files.push_back(text_stream(texts[rank], fmt::format("rank{}.json", rank)));
  ImportReport report;
  Job job = read_profiled_job(files, shape, report);
  job.clocks = put_on_one_clock(job);
  return job;
}

}  // namespace stepcast
