#include "sim/engine/steady_state.hpp"

#include <algorithm>
#include <utility>

#include "sim/engine/policy/negotiated_policy.hpp"

// The steady state. The system is deterministic and has no memory but what is under way, so once an
// iteration ran as an earlier one did (every start and end, counted from the begin of the
// iteration), everything from then on repeats, and the iteration time is exact. Some systems
// alternate, such as a negotiation, whose cycle has kPhases phases in turn; so the last eight
// iterations are kept and compared, and a period that nothing explains must be seen twice. Where
// all ranks do the same and nothing of the first is under way any more when anything of the second
// begins, as behind an update that waits for all gradients, the second finds what the first found
// and is not simulated. What counts of a period is its mean. Where nothing repeats, it is the mean
// over the later half. Comparing costs O(places) for each iteration and period, and ends at the
// first difference.

namespace stepcast {
namespace {

constexpr std::uint32_t kLongestPeriod = 8;
constexpr double kSteadyTolerance = 1e-9;  // of the iteration time
static_assert(kPhases <= kLongestPeriod);

// What a thread that negotiates, or the caller's own policy, does next hangs on more than on what
// is under way; classes wait for each other across iterations, and so do steps of a period.
bool may_begin_anew(const Plan& plan, const EngineOptions& options, std::size_t classes) {
  const auto negotiates = [](const Stream& stream) {
    return std::holds_alternative<Negotiated>(stream.rule);
  };
  return classes == 1 && steps_of(plan) == 1 && !options.policy &&
         std::ranges::none_of(plan.streams, negotiates);
}

// A cycle whose phases take turns repeats no sooner.
std::uint32_t shortest_period_of(const Plan& plan) {
  const auto has_phases = [](const Stream& stream) {
    const auto* rule = std::get_if<Negotiated>(&stream.rule);
    return rule && rule->cycle > Seconds{};
  };
  return std::ranges::any_of(plan.streams, has_phases) ? kPhases : 1;
}

}  // namespace

// A run of so many iterations ends when the one behind them begins.
SteadyState::SteadyState(const Plan& plan, const Program& program, const EngineOptions& options,
                         std::size_t classes, bool keeps_ready, LongestStep longest_step)
    : repeated_time_(plan, program),
      keeps_ready_(keeps_ready),
      longest_step_(std::move(longest_step)),
      schedule_(plan.schedule),
      shortest_period_(shortest_period_of(plan)),
      may_begin_anew_(may_begin_anew(plan, options, classes)),
      asked_(options.iterations),
      limit_(options.iterations > 0 ? options.iterations + 1
                                    : std::max(2U, options.max_iterations)) {}

SteadyState::~SteadyState() {
  for (std::unique_ptr<Iteration>& iteration : iterations_)
    recycle(std::move(iteration));
}

void SteadyState::begin(Iteration& iteration, Seconds now) {
  iteration.begin = now;
  begins_.push_back(now);
}

bool SteadyState::is_enough() {
  while (!enough_ && unchecked_ < known() && at(unchecked_).finished()) {
    const bool last = unchecked_ + 1 >= limit_;
    if (!last && begins_.size() <= unchecked_ + 1)
      return false;
    for (auto period = shortest_period_;
         period <= kLongestPeriod && period_ == 0 && asked_ == 0 && !last; ++period)
      if (repeats(unchecked_, period))
        period_ = period;
    if (period_ == 0 && asked_ == 0 && begins_anew()) {
      begins_anew_ = true;
      period_ = 1;
    }
    enough_ = period_ > 0 || last || unchecked_ + 1 == asked_;
    if (!repeated_time_.is_empty())
      jumped_.push_back(repeated_time_.of(at(unchecked_), kept()));
    find_longest_step(unchecked_);
    if (!keeps_ready_)
      at(unchecked_).ready = std::vector<Seconds>();
    ++unchecked_;
    const std::uint32_t kept = asked_ > 0 ? 2 : enough_ ? kLongestPeriod + 1 : kLongestPeriod;
    forget_before(unchecked_ - std::min(kept, unchecked_));
  }
  return enough_;
}

// The mean is one of iterations, of which the longest step may be in another than the one to
// report: so each is asked while it is kept. One whose rows turn out to differ is simulated anew
// anyway.
void SteadyState::find_longest_step(std::uint32_t number) {
  if (longest_step_ && begins_.size() > number + 1 && (jumped_.empty() || jumped_[number]))
    longest_steps_.push_back(longest_step_(at(number), length(number)));
  else if (longest_step_)
    longest_steps_.emplace_back();
}

// Of what has run of the first two iterations only.
bool SteadyState::begins_anew() const {
  if (!may_begin_anew_ || unchecked_ > 0 || known() < 2)
    return false;
  const auto ends_in_time = [begin = begins_[1]](const StepRun& run) { return run.end <= begin; };
  const auto has_begun_early = [begin = begins_[1]](const StepRun& run) {
    return run.start >= Seconds{} && run.start < begin;
  };
  return std::ranges::all_of(at(0).runs, ends_in_time) &&
         std::ranges::none_of(at(1).runs, has_begun_early);
}

bool SteadyState::repeats(std::uint32_t number, std::uint32_t period) const {
  if (number < period + (period > shortest_period_ ? period : 0) || number - period < oldest_)
    return false;
  const Seconds now_taken = simulated(number);
  const Seconds then_taken = simulated(number - period);
  const Seconds tolerance = now_taken * kSteadyTolerance;
  return now_taken - then_taken <= tolerance && then_taken - now_taken <= tolerance &&
         same_course(at(number - period), at(number), tolerance);
}

void SteadyState::forget_before(std::uint32_t number) {
  for (; oldest_ < number; ++oldest_)
    recycle(std::move(iterations_[oldest_]));
}

void SteadyState::keep_reported() {
  const std::uint32_t number = reported();
  forget_before(number - std::min(number, 1U));
  for (; known() > number + 1; iterations_.pop_back())
    recycle(std::move(iterations_.back()));
}

Seconds SteadyState::jumped(std::uint32_t number) const {
  if (jumped_.empty())
    return {};
  if (!jumped_[number])
    throw StepsDiffer(schedule_ + ": steps that come again take another course each time");
  return *jumped_[number];
}

Seconds SteadyState::mean_of(Span span) const {
  Seconds sum = begins_[span.end] - begins_[span.begin];
  for (std::uint32_t number = span.begin; number < span.end; ++number)
    sum += jumped(number);
  return sum / (span.end - span.begin);
}

SteadyState::Span SteadyState::repeated() const {
  const std::uint32_t last = unchecked_ - 1;
  const std::uint32_t end = begins_.size() > last + 1 ? last + 1 : last;
  const std::uint32_t count = asked_ > 0 ? asked_ : period_ > 0 ? period_ : end / 2;
  return {end - std::max(1U, count), end};
}

// Of a period the longest iteration that takes no longer than their mean; else the last.
std::uint32_t SteadyState::reported() const {
  if (period_ == 0)
    return unchecked_ - 1;
  const Span span = repeated();
  const Seconds most = mean_of(span) * (1 + kSteadyTolerance);
  std::uint32_t best = span.end - 1;
  for (std::uint32_t number = span.begin; number < span.end; ++number)
    if (length(number) <= most && (length(number) > length(best) || length(best) > most))
      best = number;
  return best;
}

void SteadyState::tell_times(Timeline& timeline) const {
  const Span span = repeated();
  const Seconds mean = mean_of(span);
  timeline.iterations = unchecked_;
  timeline.iteration_time = period_ > 0 ? length(reported()) : mean;
  timeline.mean_excess = mean - timeline.iteration_time;
  timeline.steady = period_ > 0;
  timeline.begin = begins_[reported()] + later();
  for (std::uint32_t i = span.begin; i < span.end; ++i) {
    timeline.worst_iteration_time = std::max(timeline.worst_iteration_time, worst_of(i));
    if (asked_ > 0)
      timeline.iteration_times.push_back(length(i));
  }
}

}  // namespace stepcast
