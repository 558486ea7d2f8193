#include "sim/search/options/pipeline_fit.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "models/base/error.hpp"
#include "models/schedule/model_parallel/schedules.hpp"
#include "sim/search/plan/plan_bound.hpp"
#include "sim/workers/stop.hpp"

namespace stepcast {
namespace {

struct BoundedOptions {
  ScheduleOptions options;
  Seconds bound{};
};

std::vector<ScheduleOptions> combinations(const OptionSpace& space, const ScheduleOptions& given) {
  const std::vector<std::string> names = memory_options();
  std::vector<ScheduleOptions> all{given};
  for (const SearchedOption& option : space.options) {
    if (std::ranges::find(names, option.info.name) == names.end())
      continue;
    for (const ScheduleOptions& options : std::exchange(all, {}))
      for (const std::string& value : option.values)
        all.push_back(with_value(options, option, value));
  }
  return all;
}

void stop_if_asked() {
  if (stop_signal() != 0)
    throw Stopped(stop_signal());
}

/// Those that fit, lowest bound first. Fills `fitted` but for what it chooses.
std::vector<BoundedOptions> those_that_fit(const ScheduledJob& job, const OptionSpace& space,
                                           Bytes budget, FittedOptions& fitted) {
  fitted.least = Bytes{std::numeric_limits<double>::infinity()};
  std::vector<BoundedOptions> fit;
  for (ScheduleOptions& options : combinations(space, job.options))
    try {
      stop_if_asked();
      const HybridJob planned = hybrid_job_of(job.info(), job.workload, job.cluster, options);
      ++fitted.tried;
      const Bytes memory = fullest_stage(planned, job.workload);
      if (memory < fitted.least) {
        fitted.leanest = options;
        fitted.least = memory;
      }
      if (memory <= budget)
        fit.push_back({std::move(options), step_bound(planned, job.workload, job.cluster)});
    } catch (const InputError&) {
      continue;  // Values that do not go together.
    }
  std::ranges::stable_sort(fit, {}, &BoundedOptions::bound);
  return fit;
}

}  // namespace

FittedOptions fitted_options(const ScheduledJob& job, OptionSteps& steps, Bytes budget) {
  constexpr double kClose = 0.999;
  FittedOptions fitted;
  std::vector<BoundedOptions> fit = those_that_fit(job, steps.space(), budget, fitted);
  std::optional<Seconds> shortest;
  for (const bool any_length : {false, true})
    for (BoundedOptions& each : fit) {
      if (shortest && (any_length || stop_signal() != 0 || each.bound > *shortest * kClose))
        return fitted;
      stop_if_asked();
      const auto step = steps.of(each.options, budget, any_length);
      if (!step || (shortest && *step >= *shortest))
        continue;
      shortest = step;
      fitted.options = each.options;
    }
  return fitted;
}

}  // namespace stepcast
