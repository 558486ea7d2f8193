#include <cmath>

#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/targets.hpp"
#include "traces/job/operations_csv.hpp"

namespace stepcast::fuzz {

bool accepts_operations_csv(std::string_view text) {
  return accepts([&] {
    ImportReport report;
    Job job = read_operations_csv(std::string(text), "input", {}, report);
    job.clocks = put_on_one_clock(job);
    require(!job.steps.empty() && !job.ranks.empty(), "a job has ranks and steps");
    for (const JobStep& step : job.steps) {
      for (const JobOperation& done : step.operations)
        require(std::isfinite(done.begin.value) && done.begin <= done.end && done.begin.value >= 0,
                "an operation begins in its step and ends later");
      for (const auto& [before, after] : step.edges)
        require(before < after && after < step.operations.size(), "edges lead on");
      for (const JobMeeting& meeting : step.meetings)
        require(meeting.members.size() > 1, "nobody meets nobody");
    }
  });
}

}  // namespace stepcast::fuzz
