#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/network/cluster.hpp"
#include "models/workload/workload.hpp"
#include "sim/cli/command_option.hpp"
#include "sim/engine/engine.hpp"
#include "sim/study/forecast.hpp"
#include "sim/study/tuning/tuned_fusion.hpp"
#include "traces/settings.hpp"

namespace stepcast {

/// What `run` and `compare` share on the command line, as typed.
struct RunRequest {
  std::string experiment;
  std::string workload;
  std::string cluster;
  CommaList schedules;
  std::string schedule;  ///< The only one; takes precedence.
  std::optional<std::uint32_t> nodes;
  std::optional<std::uint32_t> gpus_per_node;
  std::vector<std::string> settings;
  std::string fidelity;
  bool unfold = false;
};

/// The options that fill a request. `schedules` is the one that the two commands name differently.
std::vector<CommandOption> options_of(RunRequest& request, CommandOption schedules);

/// A request with its files read, its names resolved and its settings applied.
struct Scenario {
  Workload original_workload;  ///< Before the settings were applied.
  Cluster original_cluster;
  Workload workload;
  Cluster cluster;
  std::vector<std::string> schedules;  ///< May be empty: nobody named any.
  Settings settings;
  EngineOptions engine;
};

/// The command line takes precedence over the experiment file. `example` ends the error message
/// when workload or cluster is missing. Throws InputError.
Scenario resolve(const RunRequest& request, const std::string& example);

/// The same for commands of one schedule: throws InputError where none or several are named.
Scenario resolve_one_schedule(const RunRequest& request, const std::string& example);

/// One line on stderr where a simulation of the scenario takes minutes.
void warn_of_size(const Scenario& scenario);

/// The scenario with other settings, its workload and cluster as they then are. Throws InputError.
Scenario changed(Scenario scenario, Settings settings);

/// "analytic", "flow" or "step"; throws InputError naming the nearest for another name.
Fidelity parse_fidelity(std::string_view name);

/// A schedule of the scenario with the settings that the user gave. Refers to the scenario.
TuningJob job_of(const Scenario& scenario, const std::string& schedule);

PlannedRun planned(const Scenario& scenario, const std::string& schedule);

/// Plan, simulation and report of one schedule of the scenario, with the notes of add_notes().
Forecast forecast_of(const Scenario& scenario, const std::string& schedule);

/// The same without these notes, which take a simulation for each setting.
Forecast plain_forecast_of(const Scenario& scenario, const std::string& schedule);

}  // namespace stepcast
