#include "sim/study/edits/options/estimated_options.hpp"

#include <algorithm>
#include <utility>

#include "sim/study/edits/estimates.hpp"
#include "sim/study/edits/options/plan_options.hpp"
#include "sim/study/stop.hpp"

namespace stepcast {
namespace {

constexpr double kLeastGain = 1e-4;  // Of the step, as of best_options().

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
        best_(begin),
        memory_(memory) {}

  ScheduleOptions run(EditedStep& result) {
    const StopsBetweenJobs stops;
    EditedStep draft;
    const ScheduleOptions promising = best_options(estimates_, begin_, memory_, draft);
    before_ = now_ = *simulations_.of(begin_, memory_, true);
    consider(promising);
    Seconds before{};
    do {
      before = now_;
      for (const SearchedOption& option : space_.options)
        look_beside(option);
    } while (now_ < before);
    tell(result);
    result.tried += draft.tried;
    result.replayed += estimates_.simulated();
    result.simulated += simulations_.simulated();
    return std::move(best_);
  }

 private:
  void consider(const ScheduleOptions& options) {
    if (stop_signal() != 0)
      return;
    const auto step = simulations_.of(options, memory_);
    if (!step || *step >= now_ * (1 - kLeastGain))
      return;
    best_ = options;
    now_ = *step;
  }

  /// Of its values the two that promise most, but for those that cannot be as good.
  void look_beside(const SearchedOption& option) {
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
      if (simulations_.work() < kMostSimulatedWork / 4)
        consider(other);
  }

  void tell(EditedStep& result) const {
    result.step_before = before_;
    result.step_after = now_;
    if (best_ == begin_)
      return;
    const bool size = std::ranges::any_of(space_.options, [&](const SearchedOption& option) {
      return option.info.kind == OptionKind::Size &&
             value_of(option, begin_) != value_of(option, best_);
    });
    result.accepted.push_back({.kind = size ? EditKind::Resize : EditKind::Recipe,
                               .text = changes_in_words(space_, begin_, best_, true),
                               .gain = before_ - now_,
                               .step = now_});
  }

  const OptionSpace& space_;
  OptionSpace estimated_;
  OptionSteps estimates_;
  OptionSteps simulations_;
  ScheduleOptions begin_;
  ScheduleOptions best_;
  Bytes memory_;
  Seconds before_{};
  Seconds now_{};
};

}  // namespace

ScheduleOptions best_options_by_estimate(const OptionSpace& space, std::size_t tasks,
                                         const ScheduleOptions& begin, Bytes memory,
                                         EditedStep& result) {
  return EstimatedOptions(space, tasks, begin, memory).run(result);
}

}  // namespace stepcast
