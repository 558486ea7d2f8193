#include "sim/study/edits/plan_options.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/registry.hpp"
#include "sim/engine/steps.hpp"
#include "sim/study/stop.hpp"
#include "sim/study/tuning/plan_hash.hpp"

namespace stepcast {
namespace {

constexpr double kNever = 1e300;
constexpr std::size_t kManyTasks = 10'000;

class OptionSearching {
 public:
  OptionSearching(const OptionSpace& space, ScheduleOptions given, Bytes memory, EditedStep& result)
      : space_(space), best_(std::move(given)), memory_(memory), result_(result) {}

  ScheduleOptions run() {
    constexpr double kLeast = 0.001;
    result_.step_before = result_.step_after = step_of(best_);
    Seconds before{};
    do {
      before = result_.step_after;
      for (const SearchedOption& option : space_.options)
        improve(option);
    } while (before - result_.step_after >= before * kLeast && stop_signal() == 0);
    return std::move(best_);
  }

 private:
  /// The step with these options; of the same plan the same.
  Seconds step_of(const ScheduleOptions& options) {
    try {
      const Plan plan = space_.plan(options);
      const bool fits = !(memory_ > Bytes{}) || plan.memory.total() <= memory_;
      if (!fits || (most_tasks_ > 0 && plan.graph.size() > most_tasks_))
        return Seconds{kNever};
      most_tasks_ = most_tasks_ > 0 ? most_tasks_ : std::max(kManyTasks, 2 * plan.graph.size());
      const auto [found, is_new] = known_.try_emplace(hash_of(plan));
      if (is_new) {
        ++result_.simulated;
        found->second = space_.step(plan);
      }
      return found->second;
    } catch (const InputError&) {
      return Seconds{kNever};  // A value that the schedule refuses.
    }
  }

  void improve(const SearchedOption& option) {
    const auto now = best_.find(option.info.name);
    const std::string was = now == best_.end() ? option.info.default_value : now->second;
    std::string best;
    Seconds shortest = result_.step_after;
    for (const std::string& value : option.values) {
      if (stop_signal() != 0)
        break;
      if (value == was)
        continue;
      ++result_.tried;
      ScheduleOptions other = best_;
      other[option.info.name] = value;
      constexpr double kRounding = 1e-9;
      const Seconds step = step_of(other);
      if (step < shortest * (1 - kRounding)) {
        shortest = step;
        best = value;
      }
    }
    if (best.empty())
      return;
    result_.accepted.push_back(
        {.kind = option.info.kind == OptionKind::Size ? EditKind::Resize : EditKind::Recipe,
         .text = fmt::format("{}={} instead of {}", option.info.name, best, was),
         .gain = result_.step_after - shortest,
         .step = shortest});
    result_.step_after = shortest;
    best_[option.info.name] = best;
  }

  const OptionSpace& space_;
  ScheduleOptions best_;
  Bytes memory_;
  std::size_t most_tasks_ = 0;  // 0: not yet known. Finer pieces are not tried.
  EditedStep& result_;
  std::map<std::uint64_t, Seconds> known_;  // By hash of the plan.
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

ScheduleOptions best_options(const OptionSpace& space, const ScheduleOptions& given, Bytes memory,
                             EditedStep& result) {
  const StopsBetweenJobs stops;
  return OptionSearching(space, given, memory, result).run();
}

Scenario with_best_options(const Scenario& scenario, const std::string& schedule, Bytes memory,
                           EditedStep& result) {
  const ScheduleInfo& info = schedule_of(schedule);
  Scenario best = scenario;
  OptionSpace space{
      .options = {},
      .plan =
          [&](const ScheduleOptions& options) {
            best.settings.schedule = options;
            return planned(best, schedule).plan;
          },
      .step = [&](const Plan& plan) { return step_time_of(plan, best.cluster, best.engine); }};
  if (!info.compressed)
    space.options = searched_options(info.options, scenario.settings.schedule);
  best.settings.schedule = best_options(space, scenario.settings.schedule, memory, result);
  return best;
}

}  // namespace stepcast
