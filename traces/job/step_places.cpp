#include "traces/job/step_places.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "traces/job/medians.hpp"

namespace stepcast {
namespace {

/// Of the ranks, on their own clocks, by rank: first begin and last end.
using Spans = std::map<std::uint32_t, std::pair<Seconds, Seconds>>;

Spans spans_of(const JobStep& step) {
  Spans spans;
  for (const JobOperation& done : step.operations) {
    auto& [begin, end] = spans.emplace(done.rank, std::pair(done.begin, done.end)).first->second;
    begin = std::min(begin, done.begin);
    end = std::max(end, done.end);
  }
  return spans;
}

/// Of the rank that takes longest.
double length_of(const Spans& spans) {
  Seconds longest{};
  for (const auto& [rank, span] : spans)
    longest = std::max(longest, span.second - span.first);
  return longest.value;
}

/// Whether ranks begin most steps when at least half of the step before is over.
bool times_count_through(const std::vector<Spans>& steps) {
  std::size_t behind = 0;
  std::size_t all = 0;
  for (std::size_t step = 1; step < steps.size(); ++step)
    for (const auto& [rank, span] : steps[step])
      if (const auto before = steps[step - 1].find(rank); before != steps[step - 1].end()) {
        const auto& [begin, end] = before->second;
        behind += span.first > begin + (end - begin) / 2 ? 1 : 0;
        ++all;
      }
  return 2 * behind > all;
}

void place_by_times(Job& job) {
  const auto first_begin = [](const JobStep& step) {
    return std::ranges::min_element(step.operations, {}, &JobOperation::begin)->begin;
  };
  const Seconds zero = first_begin(job.steps.front());
  for (JobStep& step : job.steps) {
    const Seconds begin = first_begin(step);
    step.begin = begin - zero;
    for (JobOperation& done : step.operations)
      for (Seconds* time : {&done.begin, &done.end})
        *time = *time - begin;
  }
}

/// All zero if the run would have lasted longer than four months: what numbers them is something
/// else.
void place_by_numbers(Job& job, const std::vector<Spans>& spans) {
  constexpr double kLongestRun = 1e7;  // Seconds.
  std::vector<double> lengths;
  for (const Spans& of_step : spans)
    lengths.push_back(length_of(of_step));
  const double length = middle_of(std::move(lengths));
  const auto since_first = [&](const JobStep& step) {
    return static_cast<double>(step.number - job.steps.front().number);
  };
  if (since_first(job.steps.back()) * length <= kLongestRun)
    for (JobStep& step : job.steps)
      step.begin = Seconds{since_first(step) * length};
}

}  // namespace

void place_steps(Job& job) {
  std::vector<Spans> spans;
  for (const JobStep& step : job.steps)
    spans.push_back(spans_of(step));
  if (times_count_through(spans))
    place_by_times(job);
  else
    place_by_numbers(job, spans);
}

}  // namespace stepcast
