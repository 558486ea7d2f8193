#include "traces/job/step_places.hpp"

#include <algorithm>
#include <vector>

#include "traces/job/medians.hpp"

namespace stepcast {
namespace {

/// Of the rank that takes longest, on its own clock.
double length_of(const JobStep& step) {
  Seconds longest{};
  const JobOperation* first = nullptr;  // Of the rank; they are in order of begin.
  for (const JobOperation& done : step.operations) {
    if (first == nullptr || first->rank != done.rank)
      first = &done;
    longest = std::max(longest, done.end - first->begin);
  }
  return longest.value;
}

}  // namespace

void place_steps(Job& job) {
  constexpr double kLongestRun = 1e7;  // Seconds.
  std::vector<double> lengths;
  for (const JobStep& step : job.steps)
    lengths.push_back(length_of(step));
  const double length = middle_of(std::move(lengths));
  const auto since_first = [&](const JobStep& step) {
    return static_cast<double>(step.number - job.steps.front().number);
  };
  if (since_first(job.steps.back()) * length <= kLongestRun)
    for (JobStep& step : job.steps)
      step.begin = Seconds{since_first(step) * length};
}

}  // namespace stepcast
