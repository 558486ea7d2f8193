#include "sim/study/tuning/tuned_fusion.hpp"

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {

std::string fusion_search_of(const TuningJob& job) {
  for (const OptionInfo& option : schedule_of(job.schedule).options) {
    if (option.name != "fusion" || !option.search)
      continue;
    const auto given = job.options.find(option.name);
    if ((given == job.options.end() ? option.default_value : given->second) == option.search->word)
      return option.search->word;
  }
  return "";
}

namespace {

Tuning tune_from(const TuningJob& job, const std::string& strategy, const std::string& first) try {
  return tune(job, {.option = "fusion_buffer",
                    .strategy = strategy,
                    .first = strategy == "binary" ? "" : first});
} catch (const InputError& error) {
  throw InputError(fmt::format("{}: option fusion: {}: {}", job.schedule, strategy, error.what()));
}

}  // namespace

ResolvedOptions resolve_fusion(const TuningJob& job) {
  const std::string strategy = fusion_search_of(job);
  if (strategy.empty())
    return {.options = job.options, .note = std::nullopt};
  TuningJob with_buffer = job;
  with_buffer.options["fusion"] = "buffer";
  const auto buffer = with_buffer.options.extract("fusion_buffer");
  const Tuning tuning = tune_from(with_buffer, strategy, buffer ? buffer.mapped() : "");
  const std::string& best = tuning.best_trial().text;
  with_buffer.options["fusion_buffer"] = best;
  return {.options = std::move(with_buffer.options),
          .note = Note{NoteKind::Option, "fusion",
                       fmt::format("fusion={}: {} trials chose fusion_buffer={}, which "
                                   "fusion=buffer with that value repeats.",
                                   strategy, tuning.trials.size(), best)}};
}

PlannedRun planned(const TuningJob& job) {
  ResolvedOptions resolved = resolve_fusion(job);
  PlannedRun run{.plan = build_plan(job.schedule, job.workload, job.cluster, resolved.options),
                 .options = effective_options(schedule_of(job.schedule), resolved.options)};
  if (resolved.note)
    run.plan.notes.push_back(std::move(*resolved.note));
  return run;
}

}  // namespace stepcast
