#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "traces/formats/import.hpp"
#include "traces/job/job_formats.hpp"

namespace stepcast {

/// The job whose ranks' profiles these texts are, on one clock; `report` says what was in them.
inline Job profiled_job_of(const std::vector<std::string>& texts, ImportReport& report,
                           const JobShape& shape = {}) {
  std::vector<TraceStream> files;
  for (std::size_t rank = 0; rank < texts.size(); ++rank)
    files.push_back(text_stream(texts[rank], fmt::format("rank{}.json", rank)));
  Job job = read_profiled_job(files, shape, report);
  job.clocks = put_on_one_clock(job);
  return job;
}

inline Job profiled_job_of(const std::vector<std::string>& texts, const JobShape& shape = {}) {
  ImportReport report;
  return profiled_job_of(texts, report, shape);
}

}  // namespace stepcast
