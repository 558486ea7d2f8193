#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/command_option.hpp"
#include "sim/forecast/cost_estimate.hpp"
#include "sim/forecast/scenario.hpp"

namespace stepcast {

/// What `run` and `compare` share on the command line, as typed.
struct RunRequest {
  std::string experiment;
  std::string workload;
  std::string cluster;
  CommaList schedules;
  std::string schedule;  ///< The only one; takes precedence.
  CommaList presets;     ///< In place of schedules.
  std::optional<std::uint32_t> nodes;
  std::optional<std::uint32_t> gpus_per_node;
  std::vector<std::string> settings;
  std::vector<std::string> layouts;  ///< Several in a sweep only.
  std::string fidelity;
  std::string engine;
  bool unfold = false;
};

/// The options that fill a request. `schedules` is the one that the two commands name differently.
std::vector<CommandOption> options_of(RunRequest& request, CommandOption schedules);

/// The option --layout, which options_of() has among others.
CommandOption layout_option(RunRequest& request);

/// The option --preset, for commands that simulate schedules.
CommandOption preset_option(RunRequest& request);

/// The experiment file with the command line on top, which takes precedence. Throws InputError.
Experiment experiment_of(const RunRequest& request);

/// Throws InputError, which ends in `example`, where workload or cluster is missing.
void require_job(const Experiment& experiment, const std::string& example);

/// The scenario of the request; `example` as of require_job(). Throws InputError.
Scenario resolve(const RunRequest& request, const std::string& example);

/// The same for commands of one schedule: throws InputError where none or several are named.
Scenario resolve_one_schedule(const RunRequest& request, const std::string& example);

/// One line on stderr where a simulation of the plan takes long or much memory, with how much.
/// Throws InputError where that is ten times the memory that the process may use: it would fail.
void warn_of_cost(const Plan& plan, const Scenario& scenario);
void warn_of_cost(const Plan& plan, const Cluster& cluster, const EngineOptions& options);

/// Throws InputError, which says `what` takes that, for more than ten times the memory allowed: an
/// estimate is within a factor of about three.
void refuse_beyond(Bytes allowed, const CostEstimate& cost, const std::string& what);

/// Simulates the scenario's one schedule, with a warning before it where that takes long.
ScheduleRun simulated_with_warning(const Scenario& scenario);

/// The same of a study; `cost` as of cost_of().
void warn_of_study(const std::optional<CostEstimate>& cost, std::size_t forecasts,
                   Fidelity fidelity, std::uint32_t workers);

}  // namespace stepcast
