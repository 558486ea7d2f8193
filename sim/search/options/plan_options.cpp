#include "sim/search/options/plan_options.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "models/base/text.hpp"
#include "sim/workers/stop.hpp"

namespace stepcast {
namespace {

class OptionSearching {
 public:
  OptionSearching(OptionSteps& steps, ScheduleOptions begin, Bytes memory, EditedStep& result)
      : steps_(steps),
        begin_(begin),
        best_(std::move(begin)),
        memory_(memory),
        result_(result),
        before_(*steps.of(begin_, memory, true)),
        now_(before_) {}

  ScheduleOptions run() {
    constexpr double kLeastOfRound = 0.001;
    Seconds before{};
    do {
      before = now_;
      for (const SearchedOption& option : steps_.space().options)
        improve(option);
    } while (before - now_ >= before * kLeastOfRound && stop_signal() == 0);
    take_back();
    tell();
    return std::move(best_);
  }

 private:
  void improve(const SearchedOption& option) {
    const std::string was = value_of(option, best_);
    Seconds shortest = now_ * (1 - kLeastOptionGain);
    std::optional<ScheduleOptions> best;
    for (const std::string& value : option.values) {
      if (stop_signal() != 0)
        break;
      if (value == was)
        continue;
      ++result_.tried;
      ScheduleOptions other = with_value(best_, option, value);
      const auto step = steps_.of(other, memory_);
      if (!step || *step >= shortest)
        continue;
      shortest = *step;
      best = std::move(other);
    }
    if (!best)
      return;
    best_ = *std::move(best);
    now_ = shortest;
    std::erase(order_, &option);
    order_.push_back(&option);
  }

  /// What the last round tried with the same others costs nothing here.
  void take_back() {
    for (const SearchedOption* option : order_) {
      if (stop_signal() != 0)
        return;
      ScheduleOptions other = with_value(best_, *option, value_of(*option, begin_));
      const auto step = steps_.of(other, memory_);
      if (!step || *step * (1 - kLeastOptionGain) > now_)
        continue;
      best_ = std::move(other);
      now_ = *step;
    }
    if (now_ > before_ * (1 - kLeastOptionGain)) {
      best_ = begin_;
      now_ = before_;
    }
  }

  /// In the order of their last values, together where one alone gains nothing yet.
  void tell() {
    result_.step_before = before_;
    result_.step_after = now_;
    std::vector<ScheduleOptions> told{begin_};
    std::vector<Seconds> steps{before_};
    ScheduleOptions with = begin_;
    for (const SearchedOption* option : order_) {
      with = with_value(with, *option, value_of(*option, best_));
      const auto step = with == best_ ? now_ : steps_.of(with, {});
      if (!step || *step > steps.back() * (1 - kLeastOptionGain))
        continue;
      told.push_back(with);
      steps.push_back(*step);
    }
    while (told.size() > 1 && told.back() != best_ &&
           now_ > steps.back() * (1 - kLeastOptionGain)) {
      told.pop_back();
      steps.pop_back();
    }
    if (told.back() != best_) {
      told.push_back(best_);
      steps.push_back(now_);
    }
    for (std::size_t i = 1; i < told.size(); ++i)
      result_.accepted.push_back(
          accepted_change(steps_.space(), told[i - 1], told[i], steps[i - 1], steps[i]));
  }

  OptionSteps& steps_;
  ScheduleOptions begin_;
  ScheduleOptions best_;
  Bytes memory_;
  EditedStep& result_;
  Seconds before_;
  Seconds now_;
  std::vector<const SearchedOption*> order_;  // Those that were changed, the last one last.
};

}  // namespace

ScheduleOptions best_options(OptionSteps& steps, const ScheduleOptions& begin, Bytes memory,
                             EditedStep& result) {
  const StopsBetweenJobs stops;
  return OptionSearching(steps, begin, memory, result).run();
}

Bytes memory_limit(Bytes asked, const Cluster& cluster) {
  const Bytes has = cluster.device.memory;
  return asked == Bytes{} || (has > Bytes{} && has < asked) ? has : asked;
}

void note_memory(EditedStep& result) {
  if (result.device_memory > Bytes{} && result.memory_after > result.device_memory)
    result.notes.push_back(
        fmt::format("it does not fit: the GPU has {} of memory, the step needs {}",
                    format_bytes(result.device_memory), format_bytes(result.memory_after)));
}

ScheduleOptions best_options_of(const ScheduledJob& job, const PlannedRun& run, Bytes memory,
                                EditedStep& result) {
  const OptionSpace space = option_space_of(job, run);
  // One that does not fit as it is holds no more with other options.
  const Bytes limit = memory > Bytes{} ? std::max(memory, run.plan.memory.total()) : memory;
  OptionSteps steps(space, run.plan.graph.size());
  ScheduleOptions best = best_options(steps, job.options, limit, result);
  result.simulated += steps.simulated();
  result.options = changed_options(job.options, best);
  return best;
}

}  // namespace stepcast
