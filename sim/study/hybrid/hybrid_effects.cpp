#include "sim/study/hybrid/hybrid_effects.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/schedule/model_parallel/hybrid_job.hpp"
#include "sim/engine/steps.hpp"
#include "sim/study/effects.hpp"
#include "sim/study/hybrid/planned_pipeline.hpp"
#include "sim/study/hybrid/stage_slow_downs.hpp"

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

/// None where the other options cannot be without this one.
std::optional<bool> is_same_without(const HybridScenario& scenario, const HybridResult& result,
                                    const std::string& option) try {
  HybridScenario without = scenario;
  without.options.erase(option);
  HybridRun run = planned_pipeline(without);
  if (!holds_the_same(run.hybrid, result.hybrid.stages))
    return false;
  EngineOptions engine = scenario.engine;
  engine.slow_down =
      slow_downs_by_stage(std::move(engine.slow_down), run.job, scenario.model.workload);
  engine.fold = true;
  return same(step_time_of(run.hybrid.plan, scenario.cluster, engine),
              result.hybrid.forecast.iteration_time);
} catch (const InputError&) {
  return std::nullopt;
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

Notes changes_without_effect(const HybridScenario& scenario, const HybridResult& result) {
  Notes notes;
  if (scenario.engine.slow_down.is_chance() || !is_cheap(scenario.engine, scenario.cluster))
    return notes;
  for (const OptionInfo& option : scenario.pipeline->options) {
    const auto given = scenario.options.find(option.name);
    if (given == scenario.options.end() || is_shown(option.name) ||
        (given->second == option.default_value && !scenario.model.workload.pipeline))
      continue;
    if (is_same_without(scenario, result, option.name).value_or(false))
      notes.push_back(
          {NoteKind::Option, option.name,
           fmt::format("{}={} changed nothing: iteration time and memory are the same {}",
                       option.name, given->second,
                       scenario.model.workload.pipeline
                           ? "as recorded"
                           : "with the default " + option.default_value)});
  }
  return notes;
}

}  // namespace stepcast
