#include "sim/jobs/diagnose/recorded_slow_downs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

/// Servers, which are behind all ranks, train nothing.
std::size_t ranks_of(const Job& job) {
  return static_cast<std::size_t>(std::ranges::count(job.ranks, false, &JobRank::serves));
}

std::vector<double> computed_in(const Job& job, const JobStep& step) {
  std::vector<double> times(ranks_of(job));
  for (const JobOperation& operation : step.operations)
    if (operation.rank < times.size() && computes(job.kinds[operation.kind].work))
      times[operation.rank] += (operation.end - operation.begin).value;
  return times;
}

}  // namespace

SlowDown::Recorded slow_downs_of(const Job& job) {
  SlowDown::Recorded recorded;
  for (const JobStep& step : job.steps)
    recorded.steps.push_back(computed_in(job, step));
  std::vector<double> sums(job.stages), counts(job.stages);
  for (const auto& step : recorded.steps)
    for (std::size_t rank = 0; rank < step.size(); ++rank) {
      if (step[rank] <= 0)
        throw InputError(
            fmt::format("rank {} computes nothing in one of the steps: its slow-downs "
                        "are not known",
                        job.ranks[rank].number));
      sums[job.ranks[rank].stage] += step[rank];
      counts[job.ranks[rank].stage] += 1;
    }
  for (auto& step : recorded.steps)
    for (std::size_t rank = 0; rank < step.size(); ++rank)
      step[rank] *= counts[job.ranks[rank].stage] / sums[job.ranks[rank].stage];
  if (job.stages > 1)
    for (std::size_t rank = 0; rank < ranks_of(job); ++rank)
      recorded.stages.push_back(job.ranks[rank].stage);
  recorded.origin = fmt::format(
      "slow-downs of job {}: {} steps of {} recorded ranks ({} GPUs); compute of a rank in a step "
      "over the mean of its stage",
      job.name, job.steps.size(), ranks_of(job), job.gpus);
  return recorded;
}

}  // namespace stepcast
