#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/network/cluster.hpp"
#include "models/workload/workload.hpp"
#include "sim/engine/engine.hpp"
#include "sim/forecast/planned_run.hpp"
#include "sim/forecast/schedule_run.hpp"
#include "traces/formats/stepcast/experiments/experiment_reader.hpp"
#include "traces/settings.hpp"

namespace stepcast {

// Errors of a study name the argument that is at fault in backquotes: `fidelity`. Who called it
// knows how the user wrote it; the command line puts two dashes in their place.

/// What a user asks for, with its files read, its names resolved and its settings applied.
struct Scenario {
  Workload original_workload;  ///< Before the settings were applied.
  Cluster original_cluster;
  Workload workload;
  Cluster cluster;
  /// The original workload with the update that the user sets; nothing where none is set.
  std::optional<Workload> with_update{};
  std::vector<std::string> schedules;  ///< May be empty: nobody named any.
  Settings settings;                   ///< As given: a global batch is that of any size.
  EngineOptions engine;
  Chance chance{};
  std::vector<std::string> slow{};  ///< Slow-downs as they were written.
};

/// Reads what the experiment names: at least a workload and a cluster. `fold`: see EngineOptions.
/// Throws InputError.
Scenario scenario_of(Experiment experiment, bool fold = true);

/// Throws InputError for a schedule that is not known, or that replicates the model of a recorded
/// pipeline.
void check_schedule(const Workload& workload, const std::string& schedule);

/// What the user says of chance: slow-downs as they were written, how many iterations (0: as many
/// as it takes) and how often. Throws InputError; changed() does for a slow rank that is none.
void add_chance(Scenario& scenario, const std::vector<std::string>& slow, std::uint32_t iterations,
                const Chance& chance);
/// Only the slow-downs: with the recorded ones read.
void add_slow_downs(SlowDown& all, const std::vector<std::string>& slow);
/// Throws InputError for a slow rank that is none of the cluster.
void check_slow_ranks(const SlowDown& slow, const Cluster& cluster);

/// The scenario with other settings, its workload and cluster as they then are: where it names one
/// schedule, a global batch is shared by the ranks that train in it. Throws InputError.
Scenario changed(Scenario scenario, Settings settings);

/// "analytic", "flow" or "step"; throws InputError naming the nearest for another name.
Fidelity parse_fidelity(std::string_view name);

/// "auto", "simgrid" or "own"; throws InputError naming the nearest for another name.
EventEngine parse_engine(std::string_view name);

/// The workload that a schedule takes that partitions the model: its batch is that of the profile,
/// and the micro-batch is an option.
const Workload& unbatched_workload(const Scenario& scenario);

/// Returns the settings as options of a schedule that partitions the model, whose micro-batch is
/// the batch that is set. Throws InputError for settings that mean nothing there.
ScheduleOptions partitioned_options(const Settings& settings);

/// A schedule of the scenario with the settings that the user gave. Refers to the scenario.
ScheduledJob job_of(const Scenario& scenario, const std::string& schedule);

PlannedRun planned(const Scenario& scenario, const std::string& schedule);

/// Plan, simulation and report of a schedule that has a plan. `planned` is called before the
/// simulation; it may be empty. Throws InputError.
ScheduleRun simulated(const ScheduledJob& job,
                      const std::function<void(const Plan&)>& planned = {});

/// The same of one schedule of the scenario, also of an asynchronous one, which has no plan.
ScheduleRun simulated(const Scenario& scenario, const std::string& schedule,
                      const std::function<void(const Plan&)>& planned = {});

/// Plan, simulation and report of one schedule of the scenario, with the notes of add_notes().
Forecast forecast_of(const Scenario& scenario, const std::string& schedule);

/// The same without those notes that take a simulation for each setting.
Forecast plain_forecast_of(const Scenario& scenario, const std::string& schedule);

}  // namespace stepcast
