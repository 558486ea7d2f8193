#include "sim/search/options/estimated_options.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "sim/jobs/edits/estimates.hpp"
#include "sim/search/options/plan_options.hpp"
#include "sim/workers/stop.hpp"

namespace stepcast {
namespace {

OptionSpace estimated(OptionSpace space) {
  space.step = std::exchange(space.estimate, {});
  return space;
}

class EstimatedOptions {
 public:
  EstimatedOptions(const OptionSpace& space, std::size_t tasks, const ScheduleOptions& begin,
                   Bytes memory)
      : space_(space),
        estimated_(estimated(space)),
        estimates_(estimated_, tasks),
        simulations_(space, tasks),
        begin_(begin),
        memory_(memory) {}

  /// Over all options.
  OptionWay best() {
    const ScheduleOptions promising = promising_from(begin_);
    best_ = begin_;
    before_ = now_ = *simulations_.of(begin_, memory_, true);
    return searched_beside(promising);
  }

  /// The best that has the option's value; nothing where none is shorter than the begin.
  std::optional<OptionWay> best_with(const SearchedOption& option, const std::string& value) {
    ScheduleOptions begin = with_value(begin_, option, value);
    if (stop_signal() != 0 || !estimates_.of(begin, memory_, true))
      return std::nullopt;
    std::erase_if(estimated_.options,
                  [&](const SearchedOption& other) { return other.info.name == option.info.name; });
    const ScheduleOptions promising = promising_from(begin);
    best_ = begin;
    now_ = simulations_.of(begin, memory_, true).value_or(Seconds{INFINITY});
    OptionWay way = searched_beside(promising);
    estimated_.options = space_.options;
    return way.step < before_ ? std::optional(std::move(way)) : std::nullopt;
  }

  void count(EditedStep& result) const {
    result.tried += tried_;
    result.replayed += estimates_.simulated();
    result.simulated += simulations_.simulated();
  }

 private:
  ScheduleOptions promising_from(const ScheduleOptions& begin) {
    EditedStep draft;
    ScheduleOptions promising = best_options(estimates_, begin, memory_, draft);
    tried_ += draft.tried;
    return promising;
  }

  OptionWay searched_beside(const ScheduleOptions& promising) {
    const double work = simulations_.work();
    consider(promising);
    Seconds before{};
    do {
      before = now_;
      for (const SearchedOption& option : estimated_.options)
        look_beside(option, work + kMostSimulatedWork / 4);
    } while (now_ < before);
    return {.options = best_, .before = before_, .step = now_, .accepted = accepted()};
  }

  void consider(const ScheduleOptions& options) {
    if (stop_signal() != 0)
      return;
    const auto step = simulations_.of(options, memory_);
    if (!step || *step >= now_ * (1 - kLeastOptionGain))
      return;
    best_ = options;
    now_ = *step;
  }

  /// Of its values the two that promise most, but for those that cannot be as good.
  void look_beside(const SearchedOption& option, double most_work) {
    constexpr std::size_t kFew = 2;
    std::vector<std::pair<Seconds, ScheduleOptions>> others;
    for (const std::string& value : option.values)
      if (ScheduleOptions other = with_value(best_, option, value); other != best_)
        if (const auto step = estimates_.of(other, memory_);
            step && *step * (1 - kEstimateError) < now_)
          others.emplace_back(*step, std::move(other));
    std::ranges::stable_sort(others, {}, &std::pair<Seconds, ScheduleOptions>::first);
    others.resize(std::min(kFew, others.size()));
    for (const auto& [step, other] : others)
      if (simulations_.work() < most_work)
        consider(other);
  }

  std::vector<AcceptedEdit> accepted() const {
    if (best_ == begin_)
      return {};
    return {accepted_change(space_, begin_, best_, before_, now_)};
  }

  const OptionSpace& space_;
  OptionSpace estimated_;  // With those options that a way leaves open.
  OptionSteps estimates_;
  OptionSteps simulations_;
  ScheduleOptions begin_;
  ScheduleOptions best_;
  Bytes memory_;
  Seconds before_{};
  Seconds now_{};
  std::size_t tried_ = 0;
};

}  // namespace

std::vector<OptionWay> option_ways_by_estimate(const OptionSpace& space, std::size_t tasks,
                                               const ScheduleOptions& begin, Bytes memory,
                                               EditedStep& result) {
  const StopsBetweenJobs stops;
  EstimatedOptions options(space, tasks, begin, memory);
  std::vector<OptionWay> ways{options.best()};
  for (const SearchedOption& option : space.options) {
    if (option.info.kind != OptionKind::Choice)
      continue;
    for (const std::string& value : option.values)
      if (value != value_of(option, ways.front().options))
        if (auto way = options.best_with(option, value))
          ways.push_back(*std::move(way));
  }
  options.count(result);
  return ways;
}

}  // namespace stepcast
