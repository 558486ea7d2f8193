#include "sim/cli/run_request.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "models/schedule/list/presets.hpp"
#include "models/schedule/list/registry.hpp"
#include "models/schedule/model_parallel/hybrid_job.hpp"
#include "sim/cli/checks/limits.hpp"
#include "sim/cli/on_one_line.hpp"
#include "sim/cli/tell.hpp"
#include "sim/forecast/cost_estimate.hpp"
#include "sim/study/sweep/study_cost.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

constexpr std::uint64_t kMostGpus = 1U << 20U;

void require(const std::string& value, const char* option, const std::string& example) {
  if (value.empty())
    throw InputError(
        fmt::format("no {} given; name one with --{} (see stepcast list {}s), for "
                    "example: {}",
                    option, option, option, on_one_line(example)));
}

void add_presets(Experiment& experiment, const RunRequest& request) {
  for (const std::string& preset : request.presets.items)
    try {
      require_preset(preset);
    } catch (const InputError& error) {
      throw InputError(fmt::format("--preset: {}", error.what()));
    }
  if (request.presets.items.empty())
    return;
  if (!request.schedule.empty())
    throw InputError(fmt::format("--preset {}: names a schedule already: leave out --schedule {}",
                                 request.presets.items.front(), request.schedule));
  std::vector<std::string>& schedules = experiment.schedules;
  if (request.schedules.items.empty())
    schedules.clear();
  schedules.insert(schedules.end(), request.presets.items.begin(), request.presets.items.end());
}

void add_layout(Settings& typed, const std::vector<std::string>& layouts) {
  if (layouts.size() > 1)
    throw InputError(fmt::format("--layout {}: given twice, as {}, too", layouts[1], layouts[0]));
  for (const std::string& layout : layouts)
    try {
      for (const auto& [axis, ways] : options_of_layout(layout))
        if (const auto [other, is_new] = typed.schedule.try_emplace(axis, ways); !is_new)
          throw InputError(
              fmt::format("{0}: given twice, as {0}={1} and {0}={2}", axis, other->second, ways));
    } catch (const InputError& error) {
      throw InputError(fmt::format("--layout {}: {}", layout, error.what()));
    }
}

bool gives_size(const Settings& settings) {
  return settings.cluster.contains("nodes") || settings.cluster.contains("gpus_per_node");
}

/// Gives the cluster the size that a layout with dp asks for: whole nodes, or a part of one. Where
/// it is neither, or no number, the check of the layout says so.
void add_size_of_layout(Settings& typed, const std::string& cluster) try {
  std::uint64_t gpus = 1;
  for (const char* axis : {"tp", "pp", "cp", "dp"})
    if (const auto ways = typed.schedule.find(axis); ways != typed.schedule.end())
      gpus = std::min(gpus * parse_count(ways->second, 1), kMostGpus + 1);
  const std::uint64_t each = load_cluster(cluster).gpus_per_node;
  if (gpus > kMostGpus || (gpus > each && gpus % each != 0))
    return;
  add_size(typed, static_cast<std::uint32_t>(gpus < each ? 1 : gpus / each),
           gpus < each ? std::optional(static_cast<std::uint32_t>(gpus)) : std::nullopt);
} catch (const InputError&) {
  return;
}

/// Throws InputError where there is a layout and the schedule has none.
void check_layout(const std::vector<std::string>& layouts, const ScheduleInfo& schedule) {
  if (layouts.empty() || schedule.partitions_model())
    return;
  std::vector<std::string> names;
  for (const ScheduleInfo& each : all_schedules())
    if (each.partitions_model())
      names.push_back(each.name);
  throw InputError(fmt::format("--layout {}: {} has no layout; expected one of {}", layouts.front(),
                               schedule.name, fmt::join(names, ", ")));
}

bool is_much(const CostEstimate& cost) {
  constexpr Seconds kLong{20};
  constexpr Bytes kMuch{1024.0 * 1024 * 1024};
  return cost.time >= kLong || cost.memory >= kMuch;
}

[[noreturn]] void refuse(Bytes allowed, const CostEstimate& cost, const std::string& what,
                         const char* otherwise) {
  throw InputError(fmt::format("{} take {}, where {} are allowed; --max-memory SIZE allows more{}",
                               what, in_words(cost), format_bytes(allowed), otherwise));
}

std::string in_words(const std::string& schedule, const Cluster& cluster,
                     const EngineOptions& options) {
  return fmt::format("{} of {} at {} fidelity{}", schedule, gpus_in_words(cluster.ranks()),
                     name_of(options.fidelity), options.fold ? "" : ", unfolded,");
}

const char* what_helps(Fidelity fidelity) {
  return fidelity == Fidelity::Analytic ? "" : "; --fidelity analytic takes less";
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
       "change one thing; may be repeated. Keys: step_time, update_time,\nbatch, global_batch, "
       "batch_fixed_part, second_workload,\nstraggler.<rank>, "
       "cluster.<field> (see stepcast show CLUSTER),\nor an option of the schedule (see stepcast "
       "show SCHEDULE)"},
      layout_option(request),
      {"--fidelity", "F", &request.fidelity,
       "analytic (closed forms), flow (shared links; the default)\nor step (every message)"},
      {"--engine", "E", &request.engine,
       "simgrid or own: what carries clock, timers and flows; default:\nauto, SimGrid up to 1,000 "
       "GPUs at flow"},
      {"--unfold", "", &request.unfold, "simulate every rank, not one of each kind (same result)"},
  };
}

CommandOption layout_option(RunRequest& request) {
  return {"--layout", "L", &request.layouts,
          "how a model-parallel schedule partitions the model, such as\ntp=8,pp=4 (tensor, "
          "pipeline; cp: context, ep, etp: experts);\ndata parallelism (dp) follows, or sets "
          "the number of GPUs\nwhere nothing else does"};
}

CommandOption preset_option(RunRequest& request) {
  return {"--preset", "P", &request.presets,
          "a schedule with the options of its paper (see stepcast list presets);\nstands for its "
          "name after --schedule"};
}

namespace {

/// Replaces what an experiment file names by what is typed, if anything is.
void overlay(std::string& one, std::vector<std::string>& several, const std::string& typed) {
  if (typed.empty())
    return;
  one = typed;
  several.clear();
}

void require_one(const std::vector<std::string>& several, const char* option) {
  if (!several.empty())
    throw InputError(
        fmt::format("the experiment names several {0}s; name one with --{0}, or see "
                    "stepcast compare --help",
                    option));
}

}  // namespace

Experiment experiment_of(const RunRequest& request) {
  Experiment experiment;
  if (!request.experiment.empty())
    experiment = load_experiment(request.experiment);
  overlay(experiment.workload, experiment.workloads, request.workload);
  overlay(experiment.cluster, experiment.clusters, request.cluster);
  if (!request.schedules.items.empty())
    experiment.schedules = request.schedules.items;
  if (!request.schedule.empty())
    experiment.schedules = {request.schedule};
  add_presets(experiment, request);
  if (!request.fidelity.empty())
    experiment.fidelity = request.fidelity;
  if (!request.engine.empty())
    experiment.engine = request.engine;
  Settings typed = parse_settings(request.settings);
  add_layout(typed, request.layouts);
  add_size(typed, request.nodes, request.gpus_per_node);
  if (!request.layouts.empty() && typed.schedule.contains("dp") && !gives_size(typed) &&
      !gives_size(experiment.settings) && !experiment.cluster.empty())
    add_size_of_layout(typed, experiment.cluster);
  experiment.settings = overlaid(std::move(experiment.settings), typed);
  return experiment;
}

void require_job(const Experiment& experiment, const std::string& example) {
  require(experiment.workload, "workload", example);
  require(experiment.cluster, "cluster", example);
}

Scenario resolve(const RunRequest& request, const std::string& example) {
  Experiment experiment = experiment_of(request);
  require_job(experiment, example);
  require_one(experiment.workloads, "workload");
  require_one(experiment.clusters, "cluster");
  return scenario_of(std::move(experiment), !request.unfold);
}

void refuse_beyond(Bytes allowed, const CostEstimate& cost, const std::string& what) {
  constexpr double kSurely = 10;
  if (cost.memory > allowed * kSurely)
    refuse(allowed, cost, what, "");
}

void warn_of_run(const CostEstimate& cost, const std::string& schedule, const Cluster& cluster,
                 const EngineOptions& options) {
  const std::string what = in_words(schedule, cluster, options);
  refuse_beyond(memory_allowed(), cost, what);
  if (is_much(cost))
    tell("stepcast: {} take {}{}\n", what, in_words(cost), what_helps(options.fidelity));
}

void warn_of_cost(const Plan& plan, const Cluster& cluster, const EngineOptions& options) {
  const CostEstimate cost = cost_estimate(plan, cluster, options);
  if (is_much(cost) && least_memory(plan, cluster, options) > memory_allowed())
    refuse(memory_allowed(), cost, in_words(plan.schedule, cluster, options),
           "; --fidelity flow takes less");
  warn_of_run(cost, plan.schedule, cluster, options);
}

namespace {

[[noreturn]] void refuse_time(Seconds allowed, const CostEstimate& cost, const std::string& what,
                              Fidelity fidelity) {
  throw InputError(fmt::format(
      "{} take {}, where {} are allowed; --max-time TIME allows more{}", what, in_words(cost),
      format_seconds(allowed),
      fidelity == Fidelity::Analytic ? ", and --iterations K takes less" : what_helps(fidelity)));
}

/// Estimates are right within a factor of three: beyond that a run is not begun in vain.
void warn_of_asynchronous(const Scenario& scenario, const std::string& schedule) {
  const Bytes least = least_memory_of_protocol(scenario, schedule);
  const auto cost = cost_of_protocol(scenario, schedule);
  if (cost && least > memory_allowed())
    refuse(memory_allowed(), *cost, in_words(schedule, scenario.cluster, scenario.engine),
           "; --set graph=ring takes less");
  constexpr double kSurely = 3;
  if (cost && cost->time > time_allowed() * kSurely)
    refuse_time(time_allowed(), *cost, in_words(schedule, scenario.cluster, scenario.engine),
                scenario.engine.fidelity);
  if (cost)
    warn_of_run(*cost, schedule, scenario.cluster, scenario.engine);
}

}  // namespace

ScheduleRun simulated_with_warning(const Scenario& scenario) {
  const std::string& schedule = scenario.schedules.front();
  if (schedule_of(schedule).asynchronous)
    warn_of_asynchronous(scenario, schedule);
  return simulated(scenario, schedule, [&](const Plan& plan) { warn_of_cost(plan, scenario); });
}

void warn_of_cost(const Plan& plan, const Scenario& scenario) {
  warn_of_cost(plan, scenario.cluster, scenario.engine);
}

void warn_of_study(const std::optional<CostEstimate>& cost, std::size_t forecasts,
                   Fidelity fidelity, std::uint32_t workers) {
  if (cost && is_much(*cost))
    tell("stepcast: {} forecasts at {} fidelity, {} at a time, take {} (memory of each){}\n",
         forecasts, name_of(fidelity), std::min<std::size_t>(workers, forecasts), in_words(*cost),
         what_helps(fidelity));
}

Scenario resolve_one_schedule(const RunRequest& request, const std::string& example) {
  Scenario scenario = resolve(request, example);
  if (scenario.schedules.size() != 1)
    throw InputError(fmt::format(
        "{}; name one with --schedule (see stepcast list schedules), for example: {}",
        scenario.schedules.empty() ? "no schedule given" : "the experiment names several schedules",
        on_one_line(example)));
  check_layout(request.layouts, schedule_of(scenario.schedules.front()));
  return scenario;
}

}  // namespace stepcast
