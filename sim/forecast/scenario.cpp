#include "sim/forecast/scenario.hpp"

#include <array>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/network/slow_down_text.hpp"
#include "models/schedule/accumulation.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/forecast/chance/seeded_run.hpp"
#include "sim/forecast/edges.hpp"
#include "sim/forecast/effects.hpp"
#include "sim/forecast/hybrid/hybrid_forecast.hpp"
#include "sim/forecast/protocol_forecast.hpp"
#include "traces/catalog.hpp"
#include "traces/formats/stepcast/slow_downs_file.hpp"

namespace stepcast {
namespace {

void check_stragglers(const Settings& settings, const Cluster& cluster) {
  for (const auto& [rank, factor] : settings.stragglers) {
    if (rank >= cluster.ranks())
      throw InputError(fmt::format("`set` straggler.{}: the cluster has {} ranks, from 0 to {}",
                                   rank, cluster.ranks(), cluster.ranks() - 1));
  }
}

/// Ranks that share a model wait for each other in every layer, which messages of recorded times do
/// not tell: a slow rank would slow down its own gradients alone.
void check_model_group(const Scenario& scenario) {
  const bool has_slow =
      !scenario.settings.stragglers.empty() || !scenario.engine.slow_down.laws.empty();
  if (scenario.workload.model_group > 1 && has_slow)
    throw InputError(fmt::format(
        "`slow`: {} was recorded on {} ranks that share the model, and how much a straggler delays "
        "the others is not known: expected no slow ranks",
        scenario.workload.name, scenario.workload.model_group));
}

/// By the ranks that train in a scenario's one schedule. Several share its workload: each has a
/// scenario of its own before it is planned, so that here only what all GPUs divide is divided.
Settings shared_batch(const Scenario& scenario) {
  Settings settings = scenario.settings;
  if (!settings.global_batch)
    return resolved_batch(std::move(settings), scenario.cluster);
  if (scenario.workload.passes > 1)
    settings.schedule.try_emplace(kAccumulation, std::to_string(scenario.workload.passes));
  if (scenario.schedules.size() == 1)
    return resolved_batch(
        settings, scenario.cluster,
        training_ranks(scenario.schedules.front(), scenario.cluster, settings.schedule) /
            scenario.workload.model_group);
  if (*settings.global_batch % (scenario.cluster.ranks() * passes_of(settings)) != 0)
    return settings;
  return resolved_batch(std::move(settings), scenario.cluster);
}

/// Returns the profiled workload with the update that the user sets; nothing where none is set.
/// Throws InputError for a recorded pipeline, whose stages know their updates.
std::optional<Workload> with_update_of(const Scenario& scenario) {
  if (!scenario.settings.update_time)
    return std::nullopt;
  if (scenario.original_workload.pipeline)
    throw InputError(
        "`set` update_time: expected none, as the updates of each stage were recorded");
  return with_settings(scenario.original_workload, {.update_time = scenario.settings.update_time});
}

/// Whether the batch is an option of the scenario's only schedule, in micro-batches.
bool has_batch_of_schedule(const Scenario& scenario) {
  return scenario.workload.pipeline || (scenario.schedules.size() == 1 &&
                                        schedule_of(scenario.schedules.front()).partitions_model());
}

/// The value whose name_of() is `name`, of an argument of this name.
template <class Value>
Value parsed(std::string_view argument, const std::array<Value, 3>& all, std::string_view name) {
  std::vector<std::string> names;
  for (const Value value : all) {
    if (name == name_of(value))
      return value;
    names.emplace_back(name_of(value));
  }
  throw InputError(fmt::format("`{}`: expected {}, {} or {}, found {}{}", argument, names[0],
                               names[1], names[2], in_quotes(name), did_you_mean(name, names)));
}

}  // namespace

Fidelity parse_fidelity(std::string_view name) {
  return parsed<Fidelity>("fidelity", {Fidelity::Analytic, Fidelity::Flow, Fidelity::Step}, name);
}

EventEngine parse_engine(std::string_view name) {
  return parsed<EventEngine>("engine", {EventEngine::Auto, EventEngine::SimGrid, EventEngine::Own},
                             name);
}

Scenario scenario_of(Experiment experiment, bool fold) {
  Workload workload = load_workload(experiment.workload);
  for (const std::string& schedule : experiment.schedules)
    check_schedule(workload, schedule);
  Scenario scenario{.original_workload = std::move(workload),
                    .original_cluster = load_cluster(experiment.cluster),
                    .schedules = std::move(experiment.schedules)};
  scenario.engine.fold = fold;
  if (!experiment.fidelity.empty())
    scenario.engine.fidelity = parse_fidelity(experiment.fidelity);
  scenario.engine.engine =
      experiment.engine.empty() ? EventEngine::Auto : parse_engine(experiment.engine);
  return changed(std::move(scenario), std::move(experiment.settings));
}

void check_schedule(const Workload& workload, const std::string& schedule) {
  if (workload.model_group > 1 && !schedule_of(schedule).trains_in_step())
    throw InputError(
        fmt::format("`schedule` {}: {} was recorded on {} ranks that share the model: expected a "
                    "data-parallel schedule in which all ranks train in step",
                    schedule, workload.name, workload.model_group));
  if (!schedule_of(schedule).partitions_model() && workload.pipeline)
    throw InputError(fmt::format(
        "`schedule` {}: {} was recorded in {} stages: expected a schedule that cuts the model, "
        "such as {}",
        schedule, workload.name, workload.pipeline->stages, workload.pipeline->schedule));
}

void check_slow_ranks(const SlowDown& slow, const Cluster& cluster) try {
  check_ranks(slow, cluster.ranks());
} catch (const InputError& error) {
  throw InputError(fmt::format("`slow` {}", error.what()));
}

void add_slow_downs(SlowDown& all, const std::vector<std::string>& slow) {
  for (const std::string& text : slow)
    try {
      add_slow_down(all, text, load_slow_downs);
    } catch (const InputError& error) {
      throw InputError(fmt::format("`slow` {}: {}", text, error.what()));
    }
}

void add_chance(Scenario& scenario, const std::vector<std::string>& slow, std::uint32_t iterations,
                const Chance& chance) {
  add_slow_downs(scenario.engine.slow_down, slow);
  scenario.slow.insert(scenario.slow.end(), slow.begin(), slow.end());
  scenario.engine.iterations = iterations;
  scenario.chance = chance;
}

Scenario changed(Scenario scenario, Settings settings) {
  scenario.settings = std::move(settings);
  scenario.cluster = with_settings(scenario.original_cluster, scenario.settings);
  scenario.workload = scenario.original_workload;
  if (!has_batch_of_schedule(scenario))
    scenario.workload = with_settings(scenario.original_workload, shared_batch(scenario));
  scenario.with_update = with_update_of(scenario);
  check_stragglers(scenario.settings, scenario.cluster);
  check_model_group(scenario);
  check_slow_ranks(scenario.engine.slow_down, scenario.cluster);
  scenario.engine.slow_down.ranks_per_node = scenario.cluster.gpus_per_node;
  scenario.engine.stragglers = scenario.settings.stragglers;
  return scenario;
}

ScheduleOptions partitioned_options(const Settings& settings) {
  ScheduleOptions options = settings.schedule;
  if (settings.global_batch)
    options["global_batch"] = std::to_string(*settings.global_batch);
  if (settings.batch)
    options["micro_batch"] = std::to_string(*settings.batch);
  if (settings.step_time || settings.batch_fixed_part || !settings.second_workload.empty())
    throw InputError(
        "`set` step_time, batch_fixed_part, second_workload: expected a schedule that replicates "
        "the model");
  if (settings.update_time && options.contains("optimiser_bytes"))
    throw InputError(
        "`set` update_time: expected no optimiser_bytes beside it: both say what an update takes");
  return options;
}

const Workload& unbatched_workload(const Scenario& scenario) {
  return scenario.with_update ? *scenario.with_update : scenario.original_workload;
}

ScheduledJob job_of(const Scenario& scenario, const std::string& schedule) {
  const bool partitions = schedule_of(schedule).partitions_model();
  return {
      .workload = partitions ? unbatched_workload(scenario) : scenario.workload,
      .cluster = scenario.cluster,
      .schedule = schedule,
      .options = partitions ? partitioned_options(scenario.settings) : scenario.settings.schedule,
      .engine = scenario.engine,
      .chance = scenario.chance};
}

PlannedRun planned(const Scenario& scenario, const std::string& schedule) {
  return planned(job_of(scenario, schedule));
}

ScheduleRun simulated(const ScheduledJob& job, const std::function<void(const Plan&)>& planned) {
  PlannedRun run = stepcast::planned(job);
  if (planned)
    planned(run.plan);
  auto [timeline, spread] = simulate_seeds(run.plan, job.cluster, run.engine, job.chance);
  std::optional<Workload> of_passes;
  if (run.pipeline)
    of_passes = workload_of_passes(job.workload, run.pipeline->job.micro_batch);
  Forecast forecast = make_forecast(of_passes ? *of_passes : job.workload, job.cluster, run.plan,
                                    run.options, job.engine.fidelity, timeline, spread);
  ScheduleRun result{.plan = std::move(run.plan),
                     .timeline = std::move(timeline),
                     .forecast = std::move(forecast),
                     .passes = std::nullopt,
                     .engine = std::move(run.engine)};
  if (run.pipeline)
    add_pipeline(result, job, *run.pipeline);
  return result;
}

ScheduleRun simulated(const Scenario& scenario, const std::string& schedule,
                      const std::function<void(const Plan&)>& planned) {
  return schedule_of(schedule).asynchronous ? protocol_run(scenario, schedule)
                                            : simulated(job_of(scenario, schedule), planned);
}

Forecast forecast_of(const Scenario& scenario, const std::string& schedule) {
  ScheduleRun run = simulated(scenario, schedule);
  add_notes(run.forecast, scenario);
  if (decides_in_cycles(run.plan))
    add_edges(run, scenario);
  return std::move(run.forecast);
}

Forecast plain_forecast_of(const Scenario& scenario, const std::string& schedule) {
  Forecast forecast = simulated(scenario, schedule).forecast;
  add_cheap_notes(forecast, scenario);
  return forecast;
}

}  // namespace stepcast
