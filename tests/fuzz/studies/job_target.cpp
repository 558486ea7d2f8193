// A job file, and behind a line "---" the traces of its ranks, as `diagnose` takes them.
#include <cmath>

#include "sim/jobs/diagnose/diagnosis.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/support/input_files.hpp"
#include "tests/fuzz/targets.hpp"
#include "traces/job/read_job.hpp"

namespace stepcast::fuzz {

bool accepts_job(std::string_view text) {
  return accepts([&] {
    const auto files = written_inputs(text, 3);
    if (files.size() < 2)
      throw InputError("no trace");
    ImportReport report;
    const Job job = read_job(std::span(files).subspan(1), files.front(), report);
    const Diagnosis diagnosis = diagnose(job);
    require(std::isfinite(diagnosis.slowdown) && diagnosis.slowdown > 0, "a job has a slow-down");
    require(finite_and_not_negative(diagnosis.undelayed_step.value) &&
                finite_and_not_negative(diagnosis.ideal_step.value),
            "steps take times");
    for (const RankUse& use : diagnosis.uses)
      for (const Seconds time : {use.computing, use.communicating, use.exposed, use.copies_alone,
                                 use.waiting, use.idle_for_host, use.other})
        require(finite_and_not_negative(time.value), "a rank's step consists of times");
    for (const MeetingCost& cost : diagnosis.meetings)
      require(finite_and_not_negative(cost.idle().value) && cost.ranks.size() > 1,
              "ranks meet for a time");
    require(diagnosis.ranks.size() == job.ranks.size(), "every rank is diagnosed");
  });
}

}  // namespace stepcast::fuzz
