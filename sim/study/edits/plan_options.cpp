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
  OptionSearching(const Scenario& scenario, const std::string& schedule, Bytes memory,
                  EditedStep& result)
      : best_(scenario), schedule_(schedule), memory_(memory), result_(result) {
    const ScheduleInfo& info = schedule_of(schedule);
    for (const OptionInfo& option : info.options)
      if (!info.compressed && !scenario.settings.schedule.contains(option.name))
        add(option);
    // Which sizes are best depends on the order, not the other way round.
    std::stable_partition(options_.begin(), options_.end(),
                          [](const auto& of) { return of.first->kind == OptionKind::Choice; });
  }

  Scenario run() {
    constexpr double kLeast = 0.001;
    result_.step_before = result_.step_after = step_of(best_);
    Seconds before{};
    do {
      before = result_.step_after;
      for (const auto& [option, values] : options_)
        improve(*option, values);
    } while (before - result_.step_after >= before * kLeast && stop_signal() == 0);
    return std::move(best_);
  }

 private:
  void add(const OptionInfo& option) {
    std::vector<std::string> values;
    if (option.kind == OptionKind::Size)
      for (double kib = 64; kib <= 65536; kib *= 2)
        values.push_back(fmt::format("{:.0f}KiB", kib));
    else if (!option.is_of_library)
      values = option.alternatives;
    if (!values.empty())
      options_.emplace_back(&option, std::move(values));
  }

  /// The step with the scenario's options; of the same plan the same.
  Seconds step_of(const Scenario& scenario) {
    try {
      const Plan plan = planned(scenario, schedule_).plan;
      const bool fits = !(memory_ > Bytes{}) || plan.memory.total() <= memory_;
      if (!fits || (most_tasks_ > 0 && plan.graph.size() > most_tasks_))
        return Seconds{kNever};
      most_tasks_ = most_tasks_ > 0 ? most_tasks_ : std::max(kManyTasks, 2 * plan.graph.size());
      const auto [found, is_new] = known_.try_emplace(hash_of(plan));
      if (is_new) {
        ++result_.simulated;
        found->second = step_time_of(plan, scenario.cluster, scenario.engine);
      }
      return found->second;
    } catch (const InputError&) {
      return Seconds{kNever};  // A value that the schedule refuses.
    }
  }

  void improve(const OptionInfo& option, const std::vector<std::string>& values) {
    const auto now = best_.settings.schedule.find(option.name);
    const std::string was =
        now == best_.settings.schedule.end() ? option.default_value : now->second;
    std::string best;
    Seconds shortest = result_.step_after;
    for (const std::string& value : values) {
      if (stop_signal() != 0)
        break;
      if (value == was)
        continue;
      ++result_.tried;
      Scenario other = best_;
      other.settings.schedule[option.name] = value;
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
        {.kind = option.kind == OptionKind::Size ? EditKind::Resize : EditKind::Recipe,
         .text = fmt::format("{}={} instead of {}", option.name, best, was),
         .gain = result_.step_after - shortest,
         .step = shortest});
    result_.step_after = shortest;
    best_.settings.schedule[option.name] = best;
  }

  Scenario best_;
  const std::string& schedule_;
  Bytes memory_;
  std::size_t most_tasks_ = 0;  // 0: not yet known. Finer pieces are not tried.
  EditedStep& result_;
  std::vector<std::pair<const OptionInfo*, std::vector<std::string>>> options_;
  std::map<std::uint64_t, Seconds> known_;  // By hash of the plan.
};

}  // namespace

Scenario with_best_options(const Scenario& scenario, const std::string& schedule, Bytes memory,
                           EditedStep& result) {
  const StopsBetweenJobs stops;
  return OptionSearching(scenario, schedule, memory, result).run();
}

}  // namespace stepcast
