#include "sim/study/sweep/sweep.hpp"

#include <fmt/format.h>

#include "models/base/error.hpp"
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

}  // namespace

Scenario scenario_of(const Sweep& sweep, const Combination& combination) {
  const Scenario& base = sweep.scenarios[combination.scenario];
  Settings settings = overlaid(base.settings, combination.settings);
  settings.schedule = options_in(settings, combination.schedule);
  return changed(base, std::move(settings));
}

std::vector<std::string> for_each_combination(
    const Sweep& sweep, std::uint32_t workers, const std::function<void()>& finished,
    const std::function<std::string(const Combination&)>& work) {
  const auto named_work = [&](std::uint32_t number) {
    const Combination& combination = sweep.combinations[number];
    if (!sweep.has_lists)
      return work(combination);
    try {
      return work(combination);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", name_of(combination), error.what()));
    } catch (const SimulationError& error) {
      throw SimulationError(fmt::format("{}: {}", name_of(combination), error.what()));
    }
  };
  return run_on_workers(static_cast<std::uint32_t>(sweep.combinations.size()), workers, named_work,
                        finished);
}

std::vector<Forecast> run_sweep(const Sweep& sweep, std::uint32_t workers,
                                const std::function<void()>& finished) {
  const auto forecast_it = [&](const Combination& combination) {
    const Scenario scenario = scenario_of(sweep, combination);
    return to_bytes(sweep.has_lists ? plain_forecast_of(scenario, combination.schedule)
                                    : forecast_of(scenario, combination.schedule));
  };
  std::vector<Forecast> forecasts;
  for (const std::string& bytes : for_each_combination(sweep, workers, finished, forecast_it))
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
