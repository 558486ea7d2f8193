#include "sim/search/options/pipeline_options.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/engine/steps.hpp"
#include "sim/forecast/hybrid/hybrid_effects.hpp"
#include "sim/forecast/hybrid/planned_pipeline.hpp"
#include "sim/jobs/edits/pipeline_step.hpp"
#include "sim/jobs/edits/replicated_step.hpp"
#include "sim/search/options/pipeline_fit.hpp"
#include "sim/search/options/plan_options.hpp"
#include "sim/workers/stop.hpp"

namespace stepcast {
namespace {

constexpr const char* kMicroBatch = "micro_batch";
constexpr const char* kGlobalBatch = "global_batch";

HybridRun run_of(HybridScenario scenario, const ScheduleOptions& options) {
  scenario.options = options;
  return planned_pipeline(scenario);
}

/// In powers of two, of which the samples of a step can be made, whose number is then given. A
/// batch norm would tell them apart, a transformer does not; an order of the user's has its number
/// of them.
void add_micro_batches(const HybridScenario& scenario, const HybridJob& job,
                       std::vector<SearchedOption>& options) {
  if (!scenario.model.transformer || scenario.pipeline->passes.of_user ||
      scenario.options.contains(kMicroBatch))
    return;
  SearchedOption micro_batches{
      *std::ranges::find(scenario.pipeline->options, kMicroBatch, &OptionInfo::name), {}};
  micro_batches.info.default_value = std::to_string(job.micro_batch);
  const std::uint32_t of_a_copy = job.global_batch() / job.layout.data;
  for (std::uint32_t size = 1; size <= of_a_copy; size *= 2)
    if (of_a_copy % size == 0)
      micro_batches.values.push_back(std::to_string(size));
  if (!scenario.options.contains(kGlobalBatch))
    micro_batches.beside[kGlobalBatch] = std::to_string(job.global_batch());
  options.push_back(std::move(micro_batches));
}

/// The scenario must outlive it.
OptionSpace space_of(const HybridScenario& scenario, const HybridRun& run) {
  OptionSpace space{
      .options = searched_options(scenario.pipeline->options, scenario.options),
      .plan = [&](const ScheduleOptions& options) { return run_of(scenario, options).hybrid.plan; },
      .step =
          [&](const Plan& plan) { return step_time_of(plan, scenario.cluster, scenario.engine); }};
  for (SearchedOption& option : space.options)
    option.info.default_value = run.options.at(option.info.name);
  add_micro_batches(scenario, run.job, space.options);
  return space;
}

[[noreturn]] void refuse(Bytes limit, Bytes before, const FittedOptions& fitted,
                         const std::string& saving) {
  const std::string saved = fitted.least < before
                                ? fmt::format("{} with {}", format_bytes(fitted.least), saving)
                                : "and no option that may change saves any";
  throw InputError(
      fmt::format("`memory`: {} is not enough: {} as it is, {}; expected more, or more stages (pp) "
                  "or tp",
                  format_bytes(limit), format_bytes(before), saved));
}

}  // namespace

FoundOptions with_found_options(const HybridScenario& scenario, Bytes asked, bool search,
                                EditedStep& result) {
  const StopsBetweenJobs stops;
  const HybridRun run = run_of(scenario, scenario.options);
  const OptionSpace space = space_of(scenario, run);
  OptionSteps steps(space, run.hybrid.plan.graph.size());
  FoundOptions found{.scenario = scenario, .notes = {}};
  ScheduleOptions& options = found.scenario.options;
  const Bytes before = result.memory_before = run.hybrid.plan.memory.total();
  Bytes limit = memory_limit(asked, scenario.cluster);
  if (limit > Bytes{} && before > limit && (search || asked > Bytes{})) {
    const auto step = steps.of(scenario.options, {}, true);
    const FittedOptions fitted = fitted_options(scenario, steps, limit);
    result.tried += fitted.tried;
    if (!fitted.options && asked > Bytes{})
      refuse(limit, before, fitted,
             changes_in_words(space, scenario.options, fitted.leanest, false));
    if (fitted.options) {
      options = *fitted.options;
      found.notes.push_back(
          fmt::format("it begins with {}, to hold no more than {}; the step took {} before",
                      changes_in_words(space, scenario.options, options, false),
                      format_bytes(limit), format_seconds(*step)));
    } else {
      limit = before;
    }
  }
  if (search)
    options = best_options(steps, options, limit, result);
  result.simulated += steps.simulated();
  result.options = changed_options(scenario.options, options);
  return found;
}

void edit_pipeline(const HybridScenario& scenario, const std::vector<EditRequest>& asked,
                   bool search, Bytes budget, EditedStep& result) {
  result.device_memory = scenario.cluster.device.memory;
  result.memory_limit = budget;
  const auto [best, notes] = with_found_options(scenario, budget, search && asked.empty(), result);
  const HybridRun run = run_of(best, best.options);
  result.memory_after = run.hybrid.plan.memory.total();
  EditableStep step = editable_step(run, best.model, best.cluster, best.engine);
  ReplicatedPipelines larger(best);
  step.replicated = [&](std::uint32_t ranks) { return larger.at(ranks); };
  edit_step(std::move(step), asked, search, result);
  result.notes.insert(result.notes.end(), notes.begin(), notes.end());
  for (const Note& note : notes_on_micro_batch(best.model, run.job.micro_batch))
    result.notes.insert(result.notes.begin(), note.text);
  note_memory(result);
}

}  // namespace stepcast
