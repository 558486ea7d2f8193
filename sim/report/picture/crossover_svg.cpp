#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "models/base/numbers.hpp"
#include "sim/report/picture/heat_map.hpp"
#include "sim/report/text/studies/crossover_report.hpp"

namespace stepcast {
namespace {

/// Where a density lies between the columns' centres, on a logarithmic scale; NaN outside.
double place_of(const std::vector<double>& densities, double density) {
  if (!is_density(density) || density < densities.front() || density > densities.back() ||
      densities.size() < 2)
    return std::numeric_limits<double>::quiet_NaN();
  const auto above = std::max(std::ranges::lower_bound(densities, density), densities.begin() + 1);
  const double part = std::log(density / *(above - 1)) / std::log(*above / *(above - 1));
  return static_cast<double>(above - densities.begin()) - 1 + part;
}

void add_marks(HeatMap& map, const Crossover& crossover,
               const std::vector<const CrossoverRow*>& rows) {
  for (std::size_t pair = 0; pair < rows.front()->boundaries.size(); ++pair)
    for (const bool analytic : {true, false}) {
      const Boundary& first = rows.front()->boundaries[pair];
      HeatMapMark mark{
          .name = fmt::format("{} left of it faster than {}: {}", first.below, first.above,
                              analytic ? "counting bytes alone" : "as simulated"),
          .at = {},
          .hollow = analytic,
          .second_colour = pair % 2 == 1};
      for (const CrossoverRow* row : rows) {
        const Boundary& boundary = row->boundaries[pair];
        mark.at.push_back(place_of(crossover.densities,
                                   analytic ? boundary.analytic : boundary.simulated.front()));
      }
      map.marks.push_back(std::move(mark));
    }
}

void add_row(HeatMap& map, const CrossoverRow& row) {
  map.rows.push_back(gbps(row.bandwidth));
  auto& category = map.category.emplace_back();
  auto& strength = map.strength.emplace_back();
  auto& text = map.text.emplace_back();
  for (const std::vector<Seconds>& times : row.times) {
    const std::size_t best = fastest_of(times);
    category.push_back(best);
    strength.push_back(std::log2(speed_up(times, best)) / 2);  // full at 4 times the first
    text.push_back(fmt::format("{} {:.2f}", letter_of(best), speed_up(times, best)));
  }
}

HeatMap map_of(const Crossover& crossover, const std::vector<const CrossoverRow*>& rows) {
  HeatMap map;
  map.title = fmt::format("{} node{}, {}", rows.front()->nodes, rows.front()->nodes == 1 ? "" : "s",
                          gpus_in_words(rows.front()->gpus));
  map.x_label = "density: selected part of the gradient";
  map.y_label = "bandwidth of a node";
  for (const double density : crossover.densities)
    map.columns.push_back(fmt::format("{:.4g}", density));
  for (const CrossoverRow* row : rows)
    add_row(map, *row);
  add_marks(map, crossover, rows);
  return map;
}

}  // namespace

std::string crossover_svg(const Crossover& crossover) {
  std::vector<HeatMap> maps;
  for (auto row = crossover.rows.begin(); row != crossover.rows.end();) {
    std::vector<const CrossoverRow*> rows;
    const CrossoverRow& first = *row;
    for (; row != crossover.rows.end() && row->nodes == first.nodes && row->gpus == first.gpus;
         ++row)
      rows.push_back(&*row);
    maps.push_back(map_of(crossover, rows));
  }
  std::vector<std::string> categories;
  for (std::size_t i = 0; i < crossover.schedules.size(); ++i)
    categories.push_back(fmt::format("{} {}", letter_of(i), crossover.schedules[i]));
  return to_svg(
      fmt::format("Fastest schedule of {}", crossover.workload), maps, categories,
      {fmt::format("Cluster {}. Beside the letter: speed-up over {}; the paler, the less.",
                   crossover.cluster, crossover.schedules.front()),
       kCrossoverCaveat});
}

}  // namespace stepcast
