#include "sim/study/scenario.hpp"

#include <array>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/registry.hpp"
#include "sim/study/effects.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

void check_stragglers(const Settings& settings, const Cluster& cluster) {
  for (const auto& [rank, factor] : settings.stragglers) {
    if (rank >= cluster.ranks())
      throw InputError(fmt::format("`set` straggler.{}: the cluster has {} ranks, from 0 to {}",
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

Fidelity parse_fidelity(std::string_view name) {
  constexpr std::array kAll{Fidelity::Analytic, Fidelity::Flow, Fidelity::Step};
  std::vector<std::string> names;
  for (const Fidelity fidelity : kAll) {
    if (name == name_of(fidelity))
      return fidelity;
    names.emplace_back(name_of(fidelity));
  }
  throw InputError(fmt::format("`fidelity`: expected analytic, flow or step, found {}{}",
                               in_quotes(name), did_you_mean(name, names)));
}

Scenario scenario_of(Experiment experiment, bool fold) {
  for (const std::string& schedule : experiment.schedules)
    schedule_of(schedule);
  Scenario scenario{.original_workload = load_workload(experiment.workload),
                    .original_cluster = load_cluster(experiment.cluster),
                    .schedules = std::move(experiment.schedules)};
  scenario.engine.fold = fold;
  if (!experiment.fidelity.empty())
    scenario.engine.fidelity = parse_fidelity(experiment.fidelity);
  return changed(std::move(scenario), std::move(experiment.settings));
}

Scenario changed(Scenario scenario, Settings settings) {
  scenario.settings = std::move(settings);
  scenario.cluster = with_settings(scenario.original_cluster, scenario.settings);
  scenario.workload = with_settings(scenario.original_workload,
                                    resolved_batch(scenario.settings, scenario.cluster));
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
