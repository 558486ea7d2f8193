#include "sim/search/plan/plan_trial.hpp"

#include <algorithm>
#include <iterator>

#include "models/base/archive.hpp"
#include "models/base/error.hpp"
#include "models/schedule/model_parallel/schedules.hpp"
#include "sim/forecast/effects.hpp"
#include "sim/forecast/scenario.hpp"
#include "sim/workers/stop.hpp"
#include "sim/workers/workers.hpp"

namespace stepcast {
namespace {

constexpr char kDone = '=';
constexpr char kRefused = '!';
constexpr std::size_t kBoundsOfAJob = 128;  // a job of a worker should be worth its pipe

Scenario scenario_of(const PlanSpace& space, const PlanTrial& trial) {
  const PlanSite& site = space.sites[trial.site];
  Scenario scenario{.original_workload = site.workload,
                    .original_cluster = site.cluster,
                    .schedules = {space.schedules[trial.schedule].name}};
  scenario.engine.fidelity = space.request.fidelity;
  Settings settings;
  settings.schedule = trial.options;
  if (space.request.global_batch && !space.schedules[trial.schedule].cuts)
    settings.global_batch = site.global_batch;
  return changed(std::move(scenario), std::move(settings));
}

/// Without what a plan of thousands does not tell of.
Forecast forecast_of(const PlanSpace& space, const PlanTrial& trial) {
  const std::string& schedule = space.schedules[trial.schedule].name;
  Forecast forecast = simulated(scenario_of(space, trial), schedule).forecast;
  const PlanSite& site = space.sites[trial.site];
  add_likely_range(forecast, site.cluster, experts_in(site.workload));
  forecast.critical_path.clear();
  forecast.links.clear();
  return forecast;
}

std::vector<PlanBound> bounds_of(const PlanSpace& space, std::size_t first) {
  std::vector<PlanBound> bounds;
  const std::size_t end = std::min(first + kBoundsOfAJob, space.candidates.size());
  for (std::size_t i = first; i < end; ++i)
    try {
      bounds.push_back(bound_of(space, space.candidates[i]));
    } catch (const InputError& error) {
      bounds.push_back({.refusal = error.what()});
    }
  return bounds;
}

}  // namespace

std::uint32_t count_in(const ScheduleOptions& options, const char* name) {
  const auto found = options.find(name);
  return found == options.end() ? 1 : static_cast<std::uint32_t>(std::stoul(found->second));
}

PlanTrial trial_of(const PlanSpace& space, const PlanCandidate& candidate) {
  return {.site = candidate.site,
          .schedule = candidate.schedule,
          .options = options_of(space, candidate)};
}

Bytes memory_needed(const PlanSpace& space, const PlanTrial& trial) {
  const std::string& schedule = space.schedules[trial.schedule].name;
  if (!space.schedules[trial.schedule].cuts)
    return planned(scenario_of(space, trial), schedule).plan.memory.total();
  const PlanSite& site = space.sites[trial.site];
  return fullest_stage(hybrid_job_of(schedule_of(schedule, trial.options), site.workload,
                                     site.cluster, trial.options),
                       site.workload);
}

CostEstimate cost_of(const PlanSpace& space, const PlanTrial& trial) try {
  const Cluster& cluster = space.sites[trial.site].cluster;
  const std::string& schedule = space.schedules[trial.schedule].name;
  const EngineOptions options{.fidelity = space.request.fidelity};
  const Plan plan =
      space.schedules[trial.schedule].cuts
          ? build_plan(schedule, space.sites[trial.site].workload, cluster, trial.options)
          : planned(scenario_of(space, trial), schedule).plan;
  return cost_estimate(plan, cluster, options);
} catch (const InputError&) {
  return {};
}

std::vector<TrialResult> run_trials(const PlanSpace& space, const std::vector<PlanTrial>& trials,
                                    std::uint32_t workers, const std::function<void()>& finished) {
  const auto work = [&](std::uint32_t number) -> std::string {
    try {
      return kDone + bytes_of(forecast_of(space, trials[number]));
    } catch (const InputError& error) {
      return kRefused + std::string(error.what());
    }
  };
  const StopsBetweenJobs stops;
  const WorkerRules rules{.workers = workers, .finished = [&](auto, const auto&) { finished(); }};
  std::vector<TrialResult> results;
  const auto count = static_cast<std::uint32_t>(trials.size());
  for (const JobOutcome& outcome : outcomes_on_workers(count, rules, work)) {
    if (outcome.ending == JobOutcome::Ending::Missing && stop_signal() != 0) {
      results.emplace_back();
      continue;
    }
    const std::string& bytes = result_of(outcome);
    const std::string rest = bytes.substr(1);
    results.push_back(bytes.front() == kDone ? TrialResult{from_bytes<Forecast>(rest), ""}
                                             : TrialResult{std::nullopt, rest});
  }
  return results;
}

std::vector<PlanBound> find_bounds(const PlanSpace& space, std::uint32_t workers) {
  const std::size_t jobs = (space.candidates.size() + kBoundsOfAJob - 1) / kBoundsOfAJob;
  const auto work = [&](std::uint32_t number) {
    return bytes_of(bounds_of(space, number * kBoundsOfAJob));
  };
  std::vector<PlanBound> all;
  for (const std::string& bytes :
       run_on_workers(static_cast<std::uint32_t>(jobs), workers, work, [] {}))
    std::ranges::move(from_bytes<std::vector<PlanBound>>(bytes), std::back_inserter(all));
  return all;
}

double sample_time(const Forecast& forecast) {
  return 1 / forecast.throughput;
}

std::string layout_text(const PlanSpace& space, const PlanTrial& trial) {
  ParallelLayout layout{.data = space.sites[trial.site].cluster.ranks()};
  if (!space.schedules[trial.schedule].cuts)
    return "dp=" + std::to_string(layout.data);
  layout.tensor = count_in(trial.options, "tp");
  layout.pipeline = count_in(trial.options, "pp");
  layout.context = count_in(trial.options, "cp");
  layout.expert = count_in(trial.options, "ep");
  if (trial.options.contains("etp") && trial.options.at("etp") != "auto")
    layout.expert_tensor = count_in(trial.options, "etp");
  layout.data /= layout.tensor * layout.pipeline * layout.context;
  return describe(layout);
}

double utilisation_of(const PlanSpace& space, const PlanTrial& trial, const Forecast& forecast) {
  const PlanSite& site = space.sites[trial.site];
  const auto& transformer = site.workload.transformer;
  if (!transformer)
    return forecast.scaling_efficiency;
  const auto peak = transformer->law.peak.find(transformer->shape.precision);
  if (peak == transformer->law.peak.end())
    return forecast.scaling_efficiency;
  return model_flops(transformer->shape) * forecast.throughput /
         (peak->second.value * site.cluster.ranks());
}

}  // namespace stepcast
