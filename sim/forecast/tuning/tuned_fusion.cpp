#include "sim/forecast/tuning/tuned_fusion.hpp"

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/forecast/hybrid/planned_pipeline.hpp"
#include "sim/forecast/hybrid/stage_slow_downs.hpp"

namespace stepcast {

namespace {

/// The option whose value asks for a search; null if none does.
const OptionInfo* searching_option(const ScheduledJob& job) {
  for (const OptionInfo& option : schedule_of(job.schedule).options) {
    if (!option.search)
      continue;
    const auto given = job.options.find(option.name);
    if ((given == job.options.end() ? option.default_value : given->second) == option.search->word)
      return &option;
  }
  return nullptr;
}

Tuning tune_from(const ScheduledJob& job, const OptionInfo& option, const std::string& first) try {
  const auto& [strategy, searched, found] = *option.search;
  return tune(
      job, {.option = searched, .strategy = strategy, .first = strategy == "binary" ? "" : first});
} catch (const InputError& error) {
  throw InputError(fmt::format("{}: option {}: {}: {}", job.schedule, option.name,
                               option.search->word, error.what()));
}

}  // namespace

std::string fusion_search_of(const ScheduledJob& job) {
  const OptionInfo* option = searching_option(job);
  return option == nullptr ? "" : option->search->word;
}

ResolvedOptions resolve_fusion(const ScheduledJob& job) {
  const OptionInfo* option = searching_option(job);
  if (option == nullptr)
    return {.options = job.options, .note = std::nullopt};
  const auto& [strategy, searched, found] = *option->search;
  ScheduledJob with_number = job;
  with_number.options[option->name] = found;
  const auto first = with_number.options.extract(searched);
  const Tuning tuning = tune_from(with_number, *option, first ? first.mapped() : "");
  const std::string& best = tuning.best_trial().text;
  with_number.options[searched] = best;
  return {.options = std::move(with_number.options),
          .note = Note{
              NoteKind::Option, option->name,
              fmt::format("{0}={1}: {2} trials chose {3}={4}, which {0}={5} with that "
                          "value repeats.",
                          option->name, strategy, tuning.trials.size(), searched, best, found)}};
}

PlannedRun planned(const ScheduledJob& job) {
  if (job.info().partitions_model()) {
    HybridRun run = planned_pipeline(job);
    return {.plan = std::move(run.hybrid.plan),
            .options = std::move(run.options),
            .engine = engine_of(job, run.job)};
  }
  ResolvedOptions resolved = resolve_fusion(job);
  PlannedRun run{
      .plan = build_plan(job.schedule, job.workload, job.cluster, resolved.options),
      .options = effective_options(schedule_of(job.schedule), resolved.options, job.workload),
      .engine = job.engine};
  if (resolved.note)
    run.plan.notes.push_back(std::move(*resolved.note));
  return run;
}

}  // namespace stepcast
