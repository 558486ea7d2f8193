#include "sim/study/diagnose/job_doubts.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/base/text.hpp"
#include "sim/study/diagnose/job_replay.hpp"

namespace stepcast {
namespace {

std::string doubt_of_restored(const Job& job) {
  constexpr double kMany = 0.01;
  std::size_t all = 0;
  for (const JobStep& step : job.steps)
    all += step.operations.size();
  const double share = static_cast<double>(job.restored) / static_cast<double>(all);
  return share > kMany ? fmt::format(
                             "{} of {} operations ({:.1f} %) are not recorded and were "
                             "restored as others tell",
                             job.restored, all, 100 * share)
                       : "";
}

std::string doubt_of_parts(const JobClocks& clocks) {
  return clocks.parts > 1 ? fmt::format(
                                "nothing joins the clocks of {} parts of the job, between "
                                "which waits are not known",
                                clocks.parts)
                          : "";
}

std::string doubt_of_clocks(const JobClocks& clocks, std::size_t steps) {
  if (clocks.contradicted > 0)
    return fmt::format("clocks contradict each other in {} of {} steps, like those of two jobs",
                       clocks.contradicted, steps);
  if (clocks.uncoupled.empty())
    return "";
  const std::size_t others = clocks.uncoupled.size() - 1;
  return fmt::format(
      "{}{} and the rest never wait for each other, like ranks of two jobs",
      clocks.hosts[clocks.uncoupled.front()].name,
      others > 0 ? fmt::format(" with {} other{}", others, others > 1 ? "s" : "") : "");
}

}  // namespace

std::vector<std::string> doubts_of(const Job& job, double error) {
  std::vector<std::string> doubts;
  for (std::string doubt :
       {doubt_of_replay(job, error), doubt_of_restored(job), doubt_of_parts(job.clocks),
        doubt_of_clocks(job.clocks, job.steps.size())})
    if (!doubt.empty())
      doubts.push_back(std::move(doubt));
  return doubts;
}

}  // namespace stepcast
