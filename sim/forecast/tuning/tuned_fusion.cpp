#include "sim/forecast/tuning/tuned_fusion.hpp"

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/forecast/hybrid/planned_pipeline.hpp"
#include "sim/forecast/hybrid/stage_slow_downs.hpp"

namespace stepcast {

namespace {

/// The option whose value asks for a search; null if none does.
const OptionInfo* searching_option(const TuningJob& job) {
  for (const OptionInfo& option : schedule_of(job.schedule).options) {
    if (!option.search)
      continue;
    const auto given = job.options.find(option.name);
    if ((given == job.options.end() ? option.default_value : given->second) == option.search->word)
      return &option;
  }
  return nullptr;
}

Tuning tune_from(const TuningJob& job, const OptionInfo& option, const std::string& first) try {
  const auto& [strategy, searched, found] = *option.search;
  return tune(
      job, {.option = searched, .strategy = strategy, .first = strategy == "binary" ? "" : first});
} catch (const InputError& error) {
  throw InputError(fmt::format("{}: option {}: {}: {}", job.schedule, option.name,
                               option.search->word, error.what()));
}

}  // namespace

std::string fusion_search_of(const TuningJob& job) {
  const OptionInfo* option = searching_option(job);
  return option == nullptr ? "" : option->search->word;
}

ResolvedOptions resolve_fusion(const TuningJob& job) {
  const OptionInfo* option = searching_option(job);
  if (option == nullptr)
    return {.options = job.options, .note = std::nullopt};
  const auto& [strategy, searched, found] = *option->search;
  TuningJob with_number = job;
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

namespace {

PlannedRun planned_partition(const TuningJob& job, const ScheduleInfo& info) {
  HybridRun run = planned_pipeline({.model = model_of(job.workload),
                                    .cluster = job.cluster,
                                    .pipeline = &info,
                                    .options = job.options,
                                    .engine = job.engine});
  EngineOptions engine = job.engine;
  engine.slow_down = slow_downs_by_stage(std::move(engine.slow_down), run.job, job.workload);
  return {.plan = std::move(run.hybrid.plan),
          .options = std::move(run.options),
          .engine = std::move(engine)};
}

}  // namespace

PlannedRun planned(const TuningJob& job) {
  if (const ScheduleInfo& info = schedule_of(job.schedule, job.options); info.partitions_model())
    return planned_partition(job, info);
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
