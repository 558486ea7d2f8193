#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/cli/run_request.hpp"
#include "sim/report/text/sweep_report.hpp"

namespace stepcast {

/// A request in which a comparison may list several values.
struct SweepRequest {
  RunRequest run;  ///< The rest of it: experiment, fidelity, gpus_per_node, unfold.
  CommaList workloads;
  CommaList clusters;
  CommaList nodes;
  std::vector<std::string> settings;  ///< "key=value" or "key=value,value,...".
};

/// The options that fill a request.
std::vector<CommandOption> options_of(SweepRequest& request, CommandOption schedules);

/// One forecast to make.
struct Combination {
  std::vector<Cell> cells;     ///< Name and value of everything that the sweep lists.
  std::uint32_t scenario = 0;  ///< Index into Sweep::scenarios.
  Settings settings;           ///< Typed by the user; options only of this schedule.
  std::string schedule;
  std::uint32_t baseline = 0;  ///< The first combination of the same job.
};

/// Every combination of the values listed, in the order of the command line: workloads, clusters,
/// node counts and other settings of the job outermost, then schedules, then their options. An
/// option multiplies only the schedules that have it.
struct Sweep {
  std::vector<Scenario> scenarios;  ///< One for each pair of workload and cluster.
  std::vector<Combination> combinations;
  bool has_lists = false;  ///< More than schedules vary.
};

bool has_option(const std::string& schedule, const std::string& option);

/// Throws InputError, naming the nearest, for `--set option=value` that none of them has.
void require_option(const std::vector<std::string>& schedules, const std::string& option,
                    const std::string& value);

/// The options among the settings that the schedule has.
ScheduleOptions options_in(const Settings& settings, const std::string& schedule);

/// Throws InputError for unknown names, bad values, and options that no schedule has.
Sweep plan_sweep(const SweepRequest& request, const std::string& example);

/// Forecasts of all combinations, in their order, for any number of workers the same. An error
/// names the combination. Progress goes to stderr.
std::vector<Forecast> run_sweep(const Sweep& sweep, std::uint32_t workers);

/// What the report needs of a sweep beside its forecasts.
std::vector<SweepRow> rows_of(const Sweep& sweep, std::vector<Forecast> forecasts);

}  // namespace stepcast
