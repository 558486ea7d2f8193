#pragma once
// Jobs made of what communication libraries record.

#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/support/made_timelines.hpp"
#include "traces/job/job_formats.hpp"

namespace stepcast {

inline Job job_of(const MadeServers& made) {
  const MadeServers::Files files = made.files();
  ImportReport report;
  Job job = read_byteps_server_job({text_stream(files.messages, "comm_timeline.json"),
                                    text_stream(files.sums, "server_timeline.json")},
                                   {}, report);
  job.clocks = put_on_one_clock(job);
  return job;
}

inline Job job_of(const MadeRings& made, bool with_chunks = true) {
  const MadeRings::Files files = made.files();
  std::vector<TraceStream> chunks;
  for (std::size_t rank = 0; rank < files.chunks.size() && with_chunks; ++rank)
    chunks.push_back(text_stream(files.chunks[rank], fmt::format("{}/comm_detail.json", rank)));
  ImportReport report;
  Job job = read_horovod_job(text_stream(files.timeline, "timeline.json"), {}, report, chunks);
  job.clocks = put_on_one_clock(job);
  return job;
}

}  // namespace stepcast
