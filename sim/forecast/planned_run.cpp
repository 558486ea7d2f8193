#include "sim/forecast/planned_run.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/engine/steps.hpp"
#include "sim/forecast/hybrid/stage_slow_downs.hpp"

namespace stepcast {

namespace {

constexpr const char* kPartition = "partition";

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

/// Returns the slowness of each rank; empty: no rank is slow all the time, or slow-downs are drawn.
std::vector<double> slowness_of(const ScheduledJob& job) {
  const SlowDown& slow = job.engine.slow_down;
  const bool by_laws = !slow.laws.empty() && !slow.is_chance();
  std::vector<double> factors;
  if (!by_laws && job.engine.stragglers.empty())
    return factors;
  for (Rank rank = 0; rank < job.cluster.ranks(); ++rank)
    factors.push_back(by_laws ? slow.factor(rank, 0) : 1);
  for (const auto& [rank, factor] : job.engine.stragglers)
    factors.at(rank) *= factor;
  return factors;
}

HybridRun pipeline_with(const ScheduledJob& job, const ScheduleOptions& options) {
  return build_hybrid(job.info(), job.workload, job.cluster, options, slowness_of(job));
}

/// Chance would take all seeds for each.
Seconds step_of(const HybridRun& run, const ScheduledJob& job) {
  EngineOptions engine = engine_of(job, run.job);
  engine.fold = true;
  if (engine.slow_down.is_chance())
    engine.slow_down = {};
  return step_time_of(run.hybrid.plan, job.cluster, engine);
}

bool fits(const HybridRun& run, const HybridRun& found, const Cluster& cluster) {
  const Bytes room = std::max(cluster.device.memory, found.hybrid.plan.memory.total());
  return cluster.device.memory == Bytes{} || run.hybrid.plan.memory.total() <= room;
}

HybridRun best_partition(const ScheduledJob& job) {
  HybridRun best = pipeline_with(job, job.options);
  if (best.options.at(kPartition) != "best")
    return best;
  std::vector<HybridRun> others;
  for (const char* partition : {"equal", "time"}) {
    ScheduleOptions options = job.options;
    options[kPartition] = partition;
    HybridRun other = pipeline_with(job, options);
    if (other.job.first_unit != best.job.first_unit && fits(other, best, job.cluster))
      others.push_back(std::move(other));
  }
  Seconds least = others.empty() ? Seconds{} : step_of(best, job);
  for (HybridRun& other : others)
    if (const Seconds step = step_of(other, job); step < least) {
      least = step;
      best = std::move(other);
    }
  best.options[kPartition] = "best";
  return best;
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
    HybridRun best = best_partition(job);
    PlannedRun run{.plan = std::move(best.hybrid.plan),
                   .options = std::move(best.options),
                   .engine = engine_of(job, best.job)};
    run.pipeline = std::move(best);
    return run;
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
