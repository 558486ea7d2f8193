#include "sim/cli/sweep.hpp"

#include <map>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/cli/progress.hpp"
#include "sim/study/forecast_archive.hpp"
#include "sim/study/sweep/workers.hpp"

namespace stepcast {
namespace {

std::string name_of(const Combination& combination) {
  std::vector<std::string> parts;
  for (const Cell& cell : combination.cells)
    parts.push_back(cell.name + "=" + cell.value);
  return fmt::format("{}", fmt::join(parts, ", "));
}

Forecast forecast_of(const Sweep& sweep, const Combination& combination) {
  const Scenario& base = sweep.scenarios[combination.scenario];
  Settings settings = overlaid(base.settings, combination.settings);
  settings.schedule = options_in(settings, combination.schedule);
  const Scenario scenario = changed(base, std::move(settings));
  return sweep.has_lists ? plain_forecast_of(scenario, combination.schedule)
                         : forecast_of(scenario, combination.schedule);
}

/// The forecast; in a sweep, errors begin with the combination.
Forecast named_forecast_of(const Sweep& sweep, const Combination& combination) {
  if (!sweep.has_lists)
    return forecast_of(sweep, combination);
  try {
    return forecast_of(sweep, combination);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", name_of(combination), error.what()));
  } catch (const SimulationError& error) {
    throw SimulationError(fmt::format("{}: {}", name_of(combination), error.what()));
  }
}

}  // namespace

std::vector<CommandOption> options_of(SweepRequest& request, CommandOption schedules) {
  std::vector<CommandOption> options = options_of(request.run, std::move(schedules));
  const std::map<std::string, OptionTarget> lists{{"--workload", &request.workloads},
                                                  {"--cluster", &request.clusters},
                                                  {"--nodes", &request.nodes},
                                                  {"--set", &request.settings}};
  for (CommandOption& option : options) {
    const auto list = lists.find(option.name);
    if (list == lists.end())
      continue;
    option.target = list->second;
    option.value += ",...";
  }
  return options;
}

std::vector<Forecast> run_sweep(const Sweep& sweep, std::uint32_t workers) {
  const auto count = static_cast<std::uint32_t>(sweep.combinations.size());
  Progress progress("forecast", count);
  const std::vector<std::string> results = run_on_workers(
      count, workers,
      [&](std::uint32_t i) { return to_bytes(named_forecast_of(sweep, sweep.combinations[i])); },
      [&] { progress.step(); });
  std::vector<Forecast> forecasts;
  for (const std::string& bytes : results)
    forecasts.push_back(forecast_from_bytes(bytes));
  return forecasts;
}

std::vector<SweepRow> rows_of(const Sweep& sweep, std::vector<Forecast> forecasts) {
  std::vector<SweepRow> rows;
  for (std::size_t i = 0; i < forecasts.size(); ++i)
    rows.push_back({.cells = sweep.combinations[i].cells,
                    .forecast = std::move(forecasts[i]),
                    .baseline = sweep.combinations[i].baseline});
  return rows;
}

}  // namespace stepcast
