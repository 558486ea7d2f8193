#include "sim/search/options/pipeline_options.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/engine/steps.hpp"
#include "sim/forecast/effects.hpp"
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

HybridRun run_of(ScheduledJob job, const ScheduleOptions& options) {
  job.options = options;
  return planned_pipeline(job);
}

/// In powers of two, of which the samples of a step can be made, whose number is then given. A
/// batch norm would tell them apart, a transformer does not; an order of the user's has its number
/// of them.
void add_micro_batches(const ScheduledJob& job, const HybridJob& planned,
                       std::vector<SearchedOption>& options) {
  if (!job.workload.transformer || job.info().passes.of_user || job.options.contains(kMicroBatch))
    return;
  SearchedOption micro_batches{
      *std::ranges::find(job.info().options, kMicroBatch, &OptionInfo::name), {}};
  micro_batches.info.default_value = std::to_string(planned.micro_batch);
  const std::uint32_t of_a_copy = planned.global_batch() / planned.layout.data;
  for (std::uint32_t size = 1; size <= of_a_copy; size *= 2)
    if (of_a_copy % size == 0)
      micro_batches.values.push_back(std::to_string(size));
  if (!job.options.contains(kGlobalBatch))
    micro_batches.beside[kGlobalBatch] = std::to_string(planned.global_batch());
  options.push_back(std::move(micro_batches));
}

/// The job must outlive it.
OptionSpace space_of(const ScheduledJob& job, const HybridRun& run) {
  OptionSpace space{
      .options = searched_options(job.info().options, job.options),
      .plan = [&](const ScheduleOptions& options) { return run_of(job, options).hybrid.plan; },
      .step = [&](const Plan& plan) { return step_time_of(plan, job.cluster, job.engine); }};
  for (SearchedOption& option : space.options)
    option.info.default_value = run.options.at(option.info.name);
  add_micro_batches(job, run.job, space.options);
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

FoundOptions with_found_options(const ScheduledJob& job, Bytes asked, bool search,
                                EditedStep& result) {
  const StopsBetweenJobs stops;
  const HybridRun run = run_of(job, job.options);
  const OptionSpace space = space_of(job, run);
  OptionSteps steps(space, run.hybrid.plan.graph.size());
  FoundOptions found{.options = job.options, .notes = {}};
  ScheduleOptions& options = found.options;
  const Bytes before = result.memory_before = run.hybrid.plan.memory.total();
  Bytes limit = memory_limit(asked, job.cluster);
  if (limit > Bytes{} && before > limit && (search || asked > Bytes{})) {
    const auto step = steps.of(job.options, {}, true);
    const FittedOptions fitted = fitted_options(job, steps, limit);
    result.tried += fitted.tried;
    if (!fitted.options && asked > Bytes{})
      refuse(limit, before, fitted, changes_in_words(space, job.options, fitted.leanest, false));
    if (fitted.options) {
      options = *fitted.options;
      found.notes.push_back(
          fmt::format("it begins with {}, to hold no more than {}; the step took {} before",
                      changes_in_words(space, job.options, options, false), format_bytes(limit),
                      format_seconds(*step)));
    } else {
      limit = before;
    }
  }
  if (search)
    options = best_options(steps, options, limit, result);
  result.simulated += steps.simulated();
  result.options = changed_options(job.options, options);
  return found;
}

void edit_pipeline(const ScheduledJob& job, const std::vector<EditRequest>& asked, bool search,
                   Bytes budget, EditedStep& result) {
  result.device_memory = job.cluster.device.memory;
  result.memory_limit = budget;
  const auto [options, notes] = with_found_options(job, budget, search && asked.empty(), result);
  ScheduledJob best = job;
  best.options = options;
  const HybridRun run = planned_pipeline(best);
  result.memory_after = run.hybrid.plan.memory.total();
  EditableStep step = editable_step(run, best.workload, best.cluster, best.engine);
  ReplicatedPipelines larger(best);
  step.replicated = [&](std::uint32_t ranks) { return larger.at(ranks); };
  edit_step(std::move(step), asked, search, result);
  result.notes.insert(result.notes.end(), notes.begin(), notes.end());
  for (const Note& note : notes_on_micro_batch(best.workload, run.job.micro_batch))
    result.notes.insert(result.notes.begin(), note.text);
  note_memory(result);
}

}  // namespace stepcast
