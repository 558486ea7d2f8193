#include <cmath>

#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/targets.hpp"
#include "traces/job/job_formats.hpp"

namespace stepcast::fuzz {
namespace {

void check(Job job) {
  job.clocks = put_on_one_clock(job);
  require(!job.steps.empty() && !job.ranks.empty(), "a job has ranks and steps");
  for (const JobStep& step : job.steps) {
    for (const JobOperation& done : step.operations)
      require(std::isfinite(done.begin.value) && done.begin <= done.end && done.begin.value >= 0,
              "an operation begins in its step and ends later");
    for (const auto& [before, after] : step.edges)
      require(before < step.operations.size() && after < step.operations.size() &&
                  (before < after || step.operations[before].rank != step.operations[after].rank),
              "edges lead on");
    for (const JobMeeting& meeting : step.meetings)
      require(meeting.members.size() > 1, "nobody meets nobody");
  }
}

}  // namespace

bool accepts_operations_csv(std::string_view text) {
  return accepts([&] {
    ImportReport report;
    check(read_operations_csv(std::string(text), "input", {}, report));
  });
}

// Horovod's timeline, BytePS's comm.json as that of two ranks, messages and sums of its servers in
// one file, or a timeline and chunks in one.
bool accepts_job_timelines(std::string_view text) {
  const bool horovod = accepts([&] {
    ImportReport report;
    check(read_horovod_job(text_stream(text, "input"), {}, report));
  });
  const bool byteps = accepts([&] {
    ImportReport report;
    check(
        read_byteps_job({text_stream(text, "0/input"), text_stream(text, "1/input")}, {}, report));
  });
  const bool servers = accepts([&] {
    ImportReport report;
    check(read_byteps_server_job({text_stream(text, "input")}, {}, report));
  });
  const bool chunks = accepts([&] {
    ImportReport report;
    check(read_horovod_job(text_stream(text, "input"), {}, report, {text_stream(text, "0/input")}));
  });
  return horovod || byteps || servers || chunks;
}

}  // namespace stepcast::fuzz
