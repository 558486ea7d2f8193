#include "sim/forecast/hybrid/hybrid_effects.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/schedule/model_parallel/hybrid_job.hpp"
#include "sim/engine/steps.hpp"
#include "sim/forecast/effects.hpp"
#include "sim/forecast/hybrid/planned_pipeline.hpp"
#include "sim/forecast/hybrid/stage_slow_downs.hpp"
#include "sim/forecast/idle_settings.hpp"

namespace stepcast {
namespace {

/// What the report shows in any case, and what says what the job is.
bool is_shown(const std::string& option) {
  const std::vector<std::string> axes = layout_axes();
  return std::ranges::find(axes, option) != axes.end() || option == "micro_batch" ||
         option == "global_batch" || option == "order";
}

bool holds_the_same(const HybridPlan& plan, const std::vector<StageForecast>& stages) {
  return std::ranges::equal(plan.stages, stages, [](const auto& planned, const auto& stage) {
    return planned.memory.total() == stage.memory && planned.holds == stage.holds;
  });
}

/// False where the other options cannot be without these, too.
bool is_same_without(const HybridScenario& scenario, const Forecast& forecast,
                     const std::vector<std::string>& left_out) try {
  HybridScenario without = scenario;
  for (const std::string& option : left_out)
    without.options.erase(option);
  HybridRun run = planned_pipeline(without);
  if (!holds_the_same(run.hybrid, forecast.stages))
    return false;
  EngineOptions engine = scenario.engine;
  engine.slow_down =
      slow_downs_by_stage(std::move(engine.slow_down), run.job, scenario.model.workload);
  engine.fold = true;
  return same(step_time_of(run.hybrid.plan, scenario.cluster, engine), forecast.iteration_time);
} catch (const InputError&) {
  return false;
}

/// Options that were given, differ from the default and are not shown anyway.
std::vector<OptionInfo> options_to_try(const HybridScenario& scenario) {
  std::vector<OptionInfo> tried;
  for (const OptionInfo& option : scenario.pipeline->options) {
    const auto given = scenario.options.find(option.name);
    if (given != scenario.options.end() && !is_shown(option.name) &&
        (given->second != option.default_value || scenario.model.workload.pipeline))
      tried.push_back(option);
  }
  return tried;
}

}  // namespace

Notes notes_on_micro_batch(const CutModel& model, std::uint32_t micro_batch) {
  const Workload& workload = model.workload;
  if (!has_times_of_one_batch(workload) || workload.batch == micro_batch)
    return {};
  return {{NoteKind::Workload, "batch",
           fmt::format("micro_batch={}: the trace does not say how times follow the batch, so "
                       "layer times are those of batch {}; give a workload of that micro-batch",
                       micro_batch, workload.batch)}};
}

Notes changes_without_effect(const HybridScenario& scenario, const Forecast& forecast) {
  Notes notes;
  if (scenario.engine.slow_down.is_chance() || !is_cheap(scenario.engine, scenario.cluster))
    return notes;
  const std::vector<OptionInfo> options = options_to_try(scenario);
  const auto same_without = [&](const std::vector<std::size_t>& left_out) {
    std::vector<std::string> names;
    for (const std::size_t option : left_out)
      names.push_back(options[option].name);
    return is_same_without(scenario, forecast, names);
  };
  for (const std::size_t idle : idle_settings(options.size(), same_without)) {
    const OptionInfo& option = options[idle];
    notes.push_back({NoteKind::Option, option.name,
                     fmt::format("{}={} changed nothing: iteration time and memory are the same {}",
                                 option.name, scenario.options.at(option.name),
                                 scenario.model.workload.pipeline
                                     ? "as recorded"
                                     : "with the default " + option.default_value)});
  }
  return notes;
}

}  // namespace stepcast
