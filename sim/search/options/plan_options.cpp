#include "sim/search/options/plan_options.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "models/base/text.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/engine/steps.hpp"
#include "sim/jobs/edits/estimates.hpp"
#include "sim/search/options/estimated_options.hpp"
#include "sim/workers/stop.hpp"

namespace stepcast {
namespace {

// Of the step: what a table tells of seconds in hundredths of a millisecond.
constexpr double kLeastGain = 1e-4;

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
    Seconds shortest = now_ * (1 - kLeastGain);
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
      if (!step || *step * (1 - kLeastGain) > now_)
        continue;
      best_ = std::move(other);
      now_ = *step;
    }
    if (now_ > before_ * (1 - kLeastGain)) {
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
      if (!step || *step > steps.back() * (1 - kLeastGain))
        continue;
      told.push_back(with);
      steps.push_back(*step);
    }
    while (told.size() > 1 && told.back() != best_ && now_ > steps.back() * (1 - kLeastGain)) {
      told.pop_back();
      steps.pop_back();
    }
    if (told.back() != best_) {
      told.push_back(best_);
      steps.push_back(now_);
    }
    for (std::size_t i = 1; i < told.size(); ++i)
      accept(told[i - 1], told[i], steps[i - 1], steps[i]);
  }

  void accept(const ScheduleOptions& was, const ScheduleOptions& with, Seconds before,
              Seconds after) {
    const bool size = std::ranges::any_of(order_, [&](const SearchedOption* option) {
      return option->info.kind == OptionKind::Size &&
             value_of(*option, was) != value_of(*option, with);
    });
    result_.accepted.push_back({.kind = size ? EditKind::Resize : EditKind::Recipe,
                                .text = changes_in_words(steps_.space(), was, with, true),
                                .gain = before - after,
                                .step = after});
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

std::vector<SearchedOption> searched_options(const std::vector<OptionInfo>& options,
                                             const ScheduleOptions& given) {
  std::vector<SearchedOption> all;
  for (const OptionInfo& option : options) {
    std::vector<std::string> values;
    if (option.kind == OptionKind::Size)
      for (double kib = 64; kib <= 65536; kib *= 2)
        values.push_back(fmt::format("{:.0f}KiB", kib));
    else if (!option.is_of_library)
      values = option.alternatives;
    if (!values.empty() && !given.contains(option.name))
      all.push_back({option, std::move(values)});
  }
  // Which sizes are best depends on the order, not the other way round.
  std::stable_partition(all.begin(), all.end(), [](const SearchedOption& of) {
    return of.info.kind == OptionKind::Choice;
  });
  return all;
}

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

OptionSpace option_space_of(Scenario& tried, const std::string& schedule) {
  const ScheduleInfo& info = schedule_of(schedule, tried.settings.schedule);
  OptionSpace space{
      .options = {},
      .plan =
          [&tried, schedule](const ScheduleOptions& options) {
            tried.settings.schedule = options;
            return planned(tried, schedule).plan;
          },
      .step =
          [&tried](const Plan& plan) { return step_time_of(plan, tried.cluster, tried.engine); },
      .estimate =
          [&tried](const Plan& plan) {
            return step_time_of(plan, tried.cluster, estimating(tried.engine));
          }};
  if (!info.compressed)
    space.options = searched_options(info.options, tried.settings.schedule);
  return space;
}

Scenario with_best_options(const Scenario& scenario, const std::string& schedule, Bytes memory,
                           EditedStep& result) {
  Scenario best = scenario;
  const OptionSpace space = option_space_of(best, schedule);
  const Plan plan = planned(scenario, schedule).plan;
  // One that does not fit as it is holds no more with other options.
  const Bytes limit = memory > Bytes{} ? std::max(memory, plan.memory.total()) : memory;
  const ScheduleOptions& given = scenario.settings.schedule;
  if (pays_to_estimate(plan, scenario.engine)) {
    best.settings.schedule =
        best_options_by_estimate(space, plan.graph.size(), given, limit, result);
  } else {
    OptionSteps steps(space, plan.graph.size());
    best.settings.schedule = best_options(steps, given, limit, result);
    result.simulated += steps.simulated();
  }
  result.options = changed_options(given, best.settings.schedule);
  return best;
}

}  // namespace stepcast
