#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/jobs/diagnose/diagnosis_parts.hpp"
#include "sim/jobs/diagnose/missing_ranks.hpp"

namespace stepcast {
namespace {

std::string doubt_of_restored(const Job& job) {
  constexpr double kMany = 0.01;
  std::size_t all = 0;
  for (const JobStep& step : job.steps)
    all += step.operations.size();
  all += job.lost;
  const std::size_t missing = job.restored + job.lost;
  const double share = static_cast<double>(missing) / static_cast<double>(all);
  if (share <= kMany)
    return "";
  return fmt::format("{} of {} operations ({:.1f} %) are not recorded {} restored as others tell",
                     missing, all, 100 * share,
                     job.lost == 0       ? std::string("and were")
                     : job.restored == 0 ? std::string("and could not be")
                                         : fmt::format("and {} of these were", job.restored));
}

/// Of ranks that look as if they had nothing to do.
std::string doubt_of_passes(const Job& job, JobWork pass, const char* name) {
  const std::vector<std::uint32_t> ranks = ranks_without(job, pass);
  if (ranks.empty())
    return "";
  const std::size_t others = ranks.size() - 1;
  return fmt::format(
      "of rank {}{} no {} passes are recorded", label_of(job.ranks[ranks.front()]),
      others > 0 ? fmt::format(" and {} other{}", others, others > 1 ? "s" : "") : "", name);
}

std::string doubt_of_stages(const Job& job) {
  const auto is_message = [](const JobKind& kind) { return kind.purpose == JobPurpose::Message; };
  return job.profiled && job.shape.pipeline == 0 && std::ranges::any_of(job.kinds, is_message)
             ? "ranks send each other messages and no job file says of how many stages (pp), so "
               "that a slow stage looks like slow ranks, or like nobody"
             : "";
}

std::string doubt_of_kernels(const Job& job) {
  return job.unlike.empty() ? "" : job.unlike + ": another device, or another job";
}

std::string doubt_of_parts(const JobClocks& clocks) {
  return clocks.parts > 1 ? fmt::format(
                                "nothing joins the clocks of {} parts of the job, between "
                                "which waits are not known",
                                clocks.parts)
                          : "";
}

/// Clocks that are set over the network agree within a second.
std::string doubt_of_times(const Job& job) {
  constexpr Seconds kFar{60};
  return job.apart > kFar
             ? fmt::format(
                   "ranks were recorded {} apart, so that their clocks are wrong, or they "
                   "are of two jobs",
                   format_seconds(job.apart))
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

/// Where it throws, clocks may tell why.
std::string doubt_of_replay(const Job& job, double error, const std::string& of_clocks) try {
  return doubt_of_replay(job, error);
} catch (const InputError& refused) {
  if (of_clocks.empty())
    throw;
  throw InputError(fmt::format("{}; {}", refused.what(), of_clocks));
}

}  // namespace

std::vector<std::string> doubts_of(const Job& job, double error) {
  const std::string of_clocks = doubt_of_clocks(job.clocks, job.steps.size());
  std::vector<std::string> doubts;
  for (std::string doubt :
       {doubt_of_replay(job, error, of_clocks), doubt_of_restored(job),
        doubt_of_passes(job, JobWork::Forward, "forward"),
        doubt_of_passes(job, JobWork::Backward, "backward"), doubt_of_stages(job),
        doubt_of_kernels(job), doubt_of_parts(job.clocks), of_clocks, doubt_of_times(job)})
    if (!doubt.empty())
      doubts.push_back(std::move(doubt));
  return doubts;
}

}  // namespace stepcast
