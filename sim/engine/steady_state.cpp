#include "sim/engine/steady_state.hpp"

#include <algorithm>

// The steady state. The system is deterministic and has no memory but what is under way, so once an
// iteration ran as an earlier one did (every start and end, counted from the begin of the
// iteration), everything from then on repeats, and the iteration time is exact. Some systems
// alternate, such as a negotiation whose cycle does not divide the step; so the last eight
// iterations are kept and compared, and a longer period must be seen twice. Where nothing repeats,
// the iteration time is the mean over the later half. Comparing costs O(places) for each iteration
// and period, and ends at the first difference.

namespace stepcast {
namespace {

constexpr std::uint32_t kLongestPeriod = 8;
constexpr double kSteadyTolerance = 1e-9;  // of the iteration time

}  // namespace

// A run of so many iterations ends when the one behind them begins.
SteadyState::SteadyState(const EngineOptions& options)
    : asked_(options.iterations),
      limit_(options.iterations > 0 ? options.iterations + 1
                                    : std::max(2U, options.max_iterations)) {}

void SteadyState::begin(Iteration& iteration, Seconds now) {
  iteration.begin = now;
  begins_.push_back(now);
}

bool SteadyState::is_enough() {
  while (!enough_ && unchecked_ < known() && at(unchecked_).finished()) {
    const bool last = unchecked_ + 1 >= limit_;
    if (!last && begins_.size() <= unchecked_ + 1)
      return false;
    for (std::uint32_t period = 1; period <= kLongestPeriod && period_ == 0 && asked_ == 0 && !last;
         ++period)
      if (repeats(unchecked_, period))
        period_ = period;
    enough_ = period_ > 0 || last || unchecked_ + 1 == asked_;
    ++unchecked_;
    forget_old_iterations();
  }
  return enough_;
}

bool SteadyState::repeats(std::uint32_t number, std::uint32_t period) const {
  if (number < period + (period > 1 ? period : 0) || number - period < oldest_)
    return false;
  const Seconds now_taken = begins_[number + 1] - begins_[number];
  const Seconds then_taken = begins_[number + 1 - period] - begins_[number - period];
  const Seconds tolerance = now_taken * kSteadyTolerance;
  return now_taken - then_taken <= tolerance && then_taken - now_taken <= tolerance &&
         same_course(at(number - period), at(number), tolerance);
}

void SteadyState::forget_old_iterations() {
  const std::uint32_t kept = asked_ > 0 ? 2 : kLongestPeriod + 1;
  while (oldest_ + kept < unchecked_) {
    iterations_.pop_front();
    ++oldest_;
  }
}

void SteadyState::tell_times(Timeline& timeline) const {
  const bool has_next = begins_.size() > reported() + 1;
  const std::uint32_t end = has_next ? reported() + 1 : reported();
  const std::uint32_t span = std::max(1U, asked_ > 0 ? asked_ : period_ > 0 ? period_ : end / 2);
  timeline.iterations = reported() + 1;
  timeline.iteration_time = (begins_[end] - begins_[end - span]) / span;
  timeline.steady = period_ > 0;
  timeline.begin = begins_[reported()];
  for (std::uint32_t i = end - span; i < end; ++i) {
    const Seconds time = begins_[i + 1] - begins_[i];
    timeline.worst_iteration_time = std::max(timeline.worst_iteration_time, time);
    if (asked_ > 0)
      timeline.iteration_times.push_back(time);
  }
}

}  // namespace stepcast
