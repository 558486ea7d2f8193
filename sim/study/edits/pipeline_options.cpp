#include "sim/study/edits/pipeline_options.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/engine/steps.hpp"
#include "sim/study/edits/pipeline_step.hpp"
#include "sim/study/edits/plan_options.hpp"
#include "sim/study/stop.hpp"

namespace stepcast {
namespace {

constexpr const char* kMicroBatch = "micro_batch";
constexpr const char* kGlobalBatch = "global_batch";

HybridRun run_of(const HybridScenario& scenario, const ScheduleOptions& options) {
  return build_hybrid(*scenario.pipeline, scenario.model, scenario.cluster, options);
}

/// In powers of two, of which the samples of a step can be made. A batch norm would tell them
/// apart, a transformer does not.
void add_micro_batches(const HybridScenario& scenario, const HybridJob& job,
                       std::vector<SearchedOption>& options) {
  if (!scenario.model.transformer || scenario.options.contains(kMicroBatch))
    return;
  SearchedOption micro_batches{
      *std::ranges::find(scenario.pipeline->options, kMicroBatch, &OptionInfo::name), {}};
  micro_batches.info.default_value = std::to_string(job.micro_batch);
  const std::uint32_t of_a_copy = job.global_batch() / job.layout.data;
  for (std::uint32_t size = 1; size <= of_a_copy; size *= 2)
    if (of_a_copy % size == 0)
      micro_batches.values.push_back(std::to_string(size));
  options.push_back(std::move(micro_batches));
}

/// Where to look, and the options that are given, with the samples of a step as they are.
struct PipelineSpace {
  OptionSpace space;
  ScheduleOptions given;
};

PipelineSpace space_of(const HybridScenario& scenario) {
  const HybridJob job = run_of(scenario, scenario.options).job;
  PipelineSpace from{
      .space = {
          .options = searched_options(scenario.pipeline->options, scenario.options),
          .plan =
              [&](const ScheduleOptions& options) { return run_of(scenario, options).hybrid.plan; },
          .step =
              [&](const Plan& plan) {
                return step_time_of(plan, scenario.cluster, scenario.engine);
              }},
      .given = scenario.options};
  add_micro_batches(scenario, job, from.space.options);
  if (!scenario.pipeline->of_user)
    from.given[kGlobalBatch] = std::to_string(job.global_batch());
  return from;
}

/// All combinations of values of the options that decide what a GPU holds.
std::vector<ScheduleOptions> leaner(const PipelineSpace& from) {
  const std::vector<std::string> names = memory_options();
  std::vector<ScheduleOptions> all{from.given};
  for (const SearchedOption& option : from.space.options) {
    const std::string& name = option.info.name;
    if (std::ranges::find(names, name) == names.end())
      continue;
    for (const ScheduleOptions& options : std::exchange(all, {}))
      for (const std::string& value : option.values) {
        all.push_back(options);
        all.back()[name] = value;
      }
  }
  return all;
}

/// "recompute=full, zero=1": what is not as it was.
std::string changes_in_words(const ScheduleOptions& options, const OptionSpace& space) {
  std::string words;
  for (const SearchedOption& option : space.options) {
    const auto found = options.find(option.info.name);
    if (found != options.end() && found->second != option.info.default_value)
      words += fmt::format("{}{}={}", words.empty() ? "" : ", ", found->first, found->second);
  }
  return words;
}

}  // namespace

HybridScenario with_best_options(const HybridScenario& scenario, Bytes memory, EditedStep& result) {
  const PipelineSpace from = space_of(scenario);
  HybridScenario best = scenario;
  best.options = best_options(from.space, from.given, memory, result);
  return best;
}

FittedPipeline fitted_pipeline(const HybridScenario& scenario, Bytes budget) {
  const PipelineSpace from = space_of(scenario);
  const Plan plan = from.space.plan(scenario.options);
  FittedPipeline fitted{.scenario = scenario,
                        .change = {},
                        .before = plan.memory.total(),
                        .after = plan.memory.total()};
  if (!(budget > Bytes{}) || fitted.before <= budget)
    return fitted;
  fitted.step = from.space.step(plan);
  std::optional<Seconds> shortest;
  Bytes least = fitted.before;
  for (const ScheduleOptions& options : leaner(from))
    try {
      if (stop_signal() != 0 && shortest)
        break;
      const Plan other = from.space.plan(options);
      least = std::min(least, other.memory.total());
      if (other.memory.total() > budget)
        continue;
      const Seconds step = from.space.step(other);
      if (shortest && step >= *shortest)
        continue;
      shortest = step;
      fitted.scenario.options = options;
      fitted.after = other.memory.total();
    } catch (const InputError&) {
      continue;  // Values that do not go together.
    }
  if (!shortest)
    throw InputError(fmt::format(
        "`memory`: {} is not enough: {} as it is, {} with what {} save; expected more, or more "
        "stages (pp) or tp",
        format_bytes(budget), format_bytes(fitted.before), format_bytes(least),
        fmt::join(memory_options(), ", ")));
  fitted.change = changes_in_words(fitted.scenario.options, from.space);
  return fitted;
}

void edit_pipeline(const HybridScenario& scenario, const std::vector<EditRequest>& asked,
                   bool search, Bytes budget, EditedStep& result) {
  const FittedPipeline fitted = fitted_pipeline(scenario, budget);
  const HybridScenario best = asked.empty() && search
                                  ? with_best_options(fitted.scenario, budget, result)
                                  : fitted.scenario;
  const HybridRun run = run_of(best, best.options);
  result.memory_before = fitted.before;
  result.memory_after = run.hybrid.plan.memory.total();
  edit_step(editable_step(run, best.model, best.cluster, best.engine), asked, search, result);
  if (!fitted.change.empty())
    result.notes.push_back(fmt::format("{} instead of {} a GPU by {}; the step took {} before",
                                       format_bytes(fitted.after), format_bytes(fitted.before),
                                       fitted.change, format_seconds(fitted.step)));
}

}  // namespace stepcast
