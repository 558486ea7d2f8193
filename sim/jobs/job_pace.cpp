#include "sim/jobs/job_pace.hpp"

#include <algorithm>
#include <utility>

namespace stepcast {
namespace {

StepPace pace_of_step(const Job& job, const JobStep& step) {
  StepPace pace;
  std::vector<Seconds> computing(job.ranks.size());
  for (const JobOperation& done : step.operations) {
    pace.length = std::max(pace.length, done.end);
    if (computes(job.kinds[done.kind]))
      computing[done.rank] += done.end - done.begin;
  }
  pace.computing = *std::ranges::max_element(computing);
  return pace;
}

}  // namespace

// Steps of parts without a common clock last longer the farther the clocks have drifted apart.
std::vector<bool> stalled_steps_of(const Job& job) {
  if (job.clocks.parts > 1)
    return std::vector<bool>(job.steps.size());
  std::vector<StepPace> paces;
  for (const JobStep& step : job.steps)
    paces.push_back(pace_of_step(job, step));
  return find_stalled(paces);
}

double mean_of_usual(const std::vector<double>& values, const std::vector<bool>& stalled) {
  double sum = 0;
  double count = 0;
  for (std::size_t step = 0; step < values.size(); ++step)
    if (!stalled[step]) {
      sum += values[step];
      ++count;
    }
  return sum / count;
}

Job without_stalled_steps(const Job& job, const std::vector<bool>& stalled) {
  Job usual = job;
  usual.steps.clear();
  for (std::size_t step = 0; step < job.steps.size(); ++step)
    if (!stalled[step])
      usual.steps.push_back(job.steps[step]);
  return usual;
}

}  // namespace stepcast
