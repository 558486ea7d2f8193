#include "sim/cli/run_request.hpp"

#include <array>
#include <cstdio>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/registry.hpp"
#include "sim/cli/effects.hpp"
#include "sim/cli/on_one_line.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

/// The experiment file with the command line on top.
Experiment merged(const RunRequest& request) {
  Experiment experiment;
  if (!request.experiment.empty())
    experiment = load_experiment(request.experiment);
  if (!request.workload.empty())
    experiment.workload = request.workload;
  if (!request.cluster.empty())
    experiment.cluster = request.cluster;
  if (!request.schedules.items.empty())
    experiment.schedules = request.schedules.items;
  if (!request.schedule.empty())
    experiment.schedules = {request.schedule};
  if (!request.fidelity.empty())
    experiment.fidelity = request.fidelity;
  Settings typed = parse_settings(request.settings);
  add_size(typed, request.nodes, request.gpus_per_node);
  experiment.settings = overlaid(std::move(experiment.settings), typed);
  return experiment;
}

void require(const std::string& value, const char* option, const std::string& example) {
  if (value.empty())
    throw InputError(
        fmt::format("no {} given; name one with --{} (see stepcast list {}s), for "
                    "example: {}",
                    option, option, option, on_one_line(example)));
}

void check_stragglers(const Settings& settings, const Cluster& cluster) {
  for (const auto& [rank, factor] : settings.stragglers) {
    if (rank >= cluster.ranks())
      throw InputError(fmt::format("--set straggler.{}: the cluster has {} ranks, from 0 to {}",
                                   rank, cluster.ranks(), cluster.ranks() - 1));
  }
}

Forecast simulated(const Scenario& scenario, const std::string& schedule) {
  const PlannedRun run = planned(scenario, schedule);
  const Timeline timeline = simulate(run.plan, scenario.cluster, scenario.engine);
  return make_forecast(scenario.workload, scenario.cluster, run.plan, run.options,
                       scenario.engine.fidelity, timeline);
}

}  // namespace

std::vector<CommandOption> options_of(RunRequest& request, CommandOption schedules) {
  return {
      {"EXPERIMENT", "", &request.experiment, "name or .json file that holds all of the below"},
      {"--workload", "W", &request.workload, "name (see stepcast list workloads) or .json file"},
      {"--cluster", "C", &request.cluster, "name (see stepcast list clusters) or .json file"},
      std::move(schedules),
      {"--nodes", "N", &request.nodes, "resize the cluster to N nodes"},
      {"--gpus-per-node", "G", &request.gpus_per_node, "resize its nodes to G GPUs"},
      {"--set", "KEY=VALUE", &request.settings,
       "change one thing; may be repeated. Keys: step_time, batch,\nglobal_batch, "
       "batch_fixed_part, second_workload, straggler.<rank>,\n"
       "cluster.<field> (see stepcast show CLUSTER),\nor an option of the schedule (see stepcast "
       "show SCHEDULE)"},
      {"--fidelity", "F", &request.fidelity,
       "analytic (closed forms), flow (shared links; the default)\nor step (every message)"},
      {"--unfold", "", &request.unfold, "simulate every rank, not one of each kind (same result)"},
  };
}

Fidelity parse_fidelity(std::string_view name) {
  constexpr std::array kAll{Fidelity::Analytic, Fidelity::Flow, Fidelity::Step};
  std::vector<std::string> names;
  for (const Fidelity fidelity : kAll) {
    if (name == name_of(fidelity))
      return fidelity;
    names.emplace_back(name_of(fidelity));
  }
  throw InputError(fmt::format("--fidelity: expected analytic, flow or step, found {}{}",
                               in_quotes(name), did_you_mean(name, names)));
}

Scenario resolve(const RunRequest& request, const std::string& example) {
  Experiment experiment = merged(request);
  require(experiment.workload, "workload", example);
  require(experiment.cluster, "cluster", example);
  for (const std::string& schedule : experiment.schedules)
    schedule_of(schedule);
  Scenario scenario{.original_workload = load_workload(experiment.workload),
                    .original_cluster = load_cluster(experiment.cluster),
                    .schedules = std::move(experiment.schedules)};
  scenario.engine.fold = !request.unfold;
  if (!experiment.fidelity.empty())
    scenario.engine.fidelity = parse_fidelity(experiment.fidelity);
  return changed(std::move(scenario), std::move(experiment.settings));
}

void warn_of_size(const Scenario& scenario) {
  constexpr std::uint32_t kManyRanks = 100'000;
  if (scenario.cluster.ranks() > kManyRanks && scenario.engine.fidelity != Fidelity::Analytic)
    fmt::print(stderr,
               "stepcast: {} GPUs at {} fidelity take minutes; --fidelity analytic does not\n",
               scenario.cluster.ranks(), name_of(scenario.engine.fidelity));
}

Scenario resolve_one_schedule(const RunRequest& request, const std::string& example) {
  Scenario scenario = resolve(request, example);
  if (scenario.schedules.size() != 1)
    throw InputError(fmt::format(
        "{}; name one with --schedule (see stepcast list schedules), for example: {}",
        scenario.schedules.empty() ? "no schedule given" : "the experiment names several schedules",
        on_one_line(example)));
  return scenario;
}

Scenario changed(Scenario scenario, Settings settings) {
  scenario.settings = std::move(settings);
  scenario.cluster = with_settings(scenario.original_cluster, scenario.settings);
  scenario.settings = resolved_batch(std::move(scenario.settings), scenario.cluster);
  scenario.workload = with_settings(scenario.original_workload, scenario.settings);
  check_stragglers(scenario.settings, scenario.cluster);
  scenario.engine.stragglers = scenario.settings.stragglers;
  return scenario;
}

TuningJob job_of(const Scenario& scenario, const std::string& schedule) {
  return {.workload = scenario.workload,
          .cluster = scenario.cluster,
          .schedule = schedule,
          .options = scenario.settings.schedule,
          .engine = scenario.engine};
}

PlannedRun planned(const Scenario& scenario, const std::string& schedule) {
  return planned(job_of(scenario, schedule));
}

Forecast forecast_of(const Scenario& scenario, const std::string& schedule) {
  Forecast forecast = simulated(scenario, schedule);
  add_notes(forecast, scenario);
  return forecast;
}

Forecast plain_forecast_of(const Scenario& scenario, const std::string& schedule) {
  Forecast forecast = simulated(scenario, schedule);
  add_cheap_notes(forecast, scenario);
  return forecast;
}

}  // namespace stepcast
