#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "models/base/numbers.hpp"
#include "models/schedule/break_evens.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/study/crossover/crossover.hpp"
#include "sim/study/crossover/simplified.hpp"

namespace stepcast {
namespace {

constexpr double kLeastDensity = 1e-5;
constexpr int kHalvings = 16;  // to 0.02 % of the density

double place_of(double break_even) {
  return break_even > 1 ? kAlways : std::max(break_even, kNever);
}

std::vector<BreakEven> break_evens_of(const CrossoverGrid& grid, std::uint32_t ranks) {
  const Scenario& scenario = grid.scenario;
  std::vector<const ScheduleInfo*> schedules;
  for (const std::string& name : scenario.schedules)
    schedules.push_back(&schedule_of(name));
  return break_evens(schedules, scenario.settings.schedule, scenario.workload, ranks);
}

/// Bisects the logarithm of the density.
double boundary_of(const CrossoverSimulator& simulator, const BreakEven& pair) {
  const auto below_wins = [&](double density) {
    return simulator.time_of(pair.below, density) <= simulator.time_of(pair.above, density);
  };
  if (!below_wins(kLeastDensity))
    return kNever;
  if (below_wins(1))
    return kAlways;
  double low = std::log(kLeastDensity);
  double high = 0;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (below_wins(std::exp(middle)) ? low : high) = middle;
  }
  return std::exp((low + high) / 2);
}

std::vector<double> cells_of(const CrossoverGrid& grid, const CrossoverNetwork& network) {
  const CrossoverSimulator simulator(grid, network, CrossoverModel::Whole);
  std::vector<double> times;
  for (const double density : grid.densities)
    for (const std::string& schedule : grid.scenario.schedules)
      times.push_back(simulator.time_of(schedule, density).value);
  return times;
}

std::vector<double> boundaries_of(const CrossoverGrid& grid, const CrossoverNetwork& network,
                                  CrossoverModel model) {
  const CrossoverSimulator simulator(grid, network, model);
  std::vector<double> densities;
  for (const BreakEven& pair : break_evens_of(grid, network.ranks()))
    densities.push_back(boundary_of(simulator, pair));
  return densities;
}

std::vector<CrossoverNetwork> networks_of(const CrossoverGrid& grid) {
  std::vector<CrossoverNetwork> networks;
  for (const std::uint32_t nodes : grid.nodes)
    for (const std::uint32_t gpus : grid.gpus_per_node)
      for (const BytesPerSecond bandwidth : grid.bandwidths)
        networks.push_back({nodes, gpus, bandwidth});
  return networks;
}

void take_cells(CrossoverRow& row, const std::vector<double>& numbers, std::size_t schedules) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i % schedules == 0)
      row.times.emplace_back();
    row.times.back().push_back({numbers[i]});
  }
}

void take_boundaries(CrossoverRow& row, const std::vector<double>& numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    row.boundaries[i].simulated.push_back(numbers[i]);
}

CrossoverRow empty_row(const CrossoverGrid& grid, const CrossoverNetwork& network) {
  const std::uint32_t ranks = network.ranks();
  CrossoverRow row{.nodes = network.nodes, .gpus = ranks, .bandwidth = network.bandwidth};
  for (const BreakEven& pair : break_evens_of(grid, ranks))
    row.boundaries.push_back({pair.below, pair.above, place_of(pair.density), {}});
  const CrossoverSimulator simulator(grid, network, CrossoverModel::Whole);
  for (const std::string& schedule : grid.scenario.schedules)
    row.ranges.push_back(simulator.range_of(schedule));
  return row;
}

// Combinations of a network: its cells, then its boundaries in one model after the other.
constexpr auto kOfNetwork = static_cast<std::uint32_t>(kCrossoverModels.size() + 1);

Crossover without_rows(const CrossoverGrid& grid) {
  Crossover crossover{.workload = grid.scenario.workload.name,
                      .cluster = grid.scenario.cluster.name,
                      .fidelity = name_of(grid.scenario.engine.fidelity),
                      .schedules = grid.scenario.schedules,
                      .densities = grid.densities,
                      .models = {},
                      .rows = {}};
  for (const CrossoverModel model : kCrossoverModels)
    crossover.models.emplace_back(name_of(model));
  return crossover;
}

/// Sizes grow with the density: its ends tell whether any lies beyond what was measured.
void take_notes(const CrossoverGrid& grid, const CrossoverNetwork& network,
                std::vector<NotedForecast>& noted) {
  const CrossoverSimulator simulator(grid, network, CrossoverModel::Whole);
  const std::string about =
      fmt::format("{} with {}", gpus_in_words(network.ranks()), gbps(network.bandwidth));
  for (const std::string& schedule : grid.scenario.schedules)
    for (const double density : {grid.densities.front(), grid.densities.back()})
      noted.push_back({{schedule, fmt::format("{} at density {:.4g}", schedule, density), about},
                       simulator.notes_on(schedule, density)});
}

}  // namespace

bool is_density(double place) {
  return place > kNever && place < kAlways;
}

double speed_up(const std::vector<Seconds>& times, std::size_t schedule) {
  return times.front() / times[schedule];
}

std::size_t fastest_of(const std::vector<Seconds>& times) {
  return static_cast<std::size_t>(std::ranges::min_element(times) - times.begin());
}

std::size_t simulations_of(const CrossoverGrid& grid) {
  std::size_t count = 0;
  for (const CrossoverNetwork& network : networks_of(grid)) {
    const std::size_t pairs = break_evens_of(grid, network.ranks()).size();
    const std::size_t of_boundary = 2 * (kHalvings + 2);  // two schedules at each density tried
    count += grid.densities.size() * grid.scenario.schedules.size() +
             kCrossoverModels.size() * pairs * of_boundary;
  }
  return count;
}

Sweep plan_crossover(const CrossoverGrid& grid) {
  Sweep sweep{.scenarios = {grid.scenario}};
  for (const CrossoverNetwork& network : networks_of(grid)) {
    const auto baseline = static_cast<std::uint32_t>(sweep.combinations.size());
    for (std::uint32_t i = 0; i < kOfNetwork; ++i)
      sweep.combinations.push_back(
          {.cells = {{"nodes", std::to_string(network.nodes)},
                     {"gpus_per_node", std::to_string(network.gpus_per_node)},
                     {"cluster.nic.bandwidth", gbps(network.bandwidth)},
                     {"model", i == 0 ? "cells" : name_of(kCrossoverModels[i - 1])}},
           .baseline = baseline});
  }
  return sweep;
}

Crossover find_crossover(
    const CrossoverGrid& grid, StudyRules rules,
    const std::function<void(std::uint32_t, const Crossover&, const CrossoverRow&)>& came) {
  rules.keeps_whole_jobs = true;
  const std::vector<CrossoverNetwork> all = networks_of(grid);
  const auto row_of = [&](std::uint32_t network, const std::vector<double>& times) {
    CrossoverRow row = empty_row(grid, all[network]);
    take_cells(row, times, grid.scenario.schedules.size());
    return row;
  };
  Crossover crossover = without_rows(grid);
  if (came)
    rules.came = [&](std::uint32_t number, const std::string& bytes) {
      if (number % kOfNetwork == 0)
        came(number / kOfNetwork, crossover,
             row_of(number / kOfNetwork, from_bytes<std::vector<double>>(bytes)));
    };
  const auto work = [&](std::uint32_t number) {
    const CrossoverNetwork& network = all[number / kOfNetwork];
    const std::uint32_t what = number % kOfNetwork;
    return what == 0 ? cells_of(grid, network)
                     : boundaries_of(grid, network, kCrossoverModels[what - 1]);
  };
  std::vector<CrossoverNetwork> networks;
  for (const auto& [number, numbers] :
       find_each<std::vector<double>>(plan_crossover(grid), rules, work)) {
    if (number % kOfNetwork == 0) {
      networks.push_back(all[number / kOfNetwork]);
      crossover.rows.push_back(row_of(number / kOfNetwork, numbers));
    } else {
      take_boundaries(crossover.rows.back(), numbers);
    }
  }
  std::vector<NotedForecast> noted;
  for (const CrossoverNetwork& network : networks)
    take_notes(grid, network, noted);
  crossover.notes = shared_notes_of(noted);
  return crossover;
}

}  // namespace stepcast
