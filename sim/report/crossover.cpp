#include "sim/report/crossover.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/text.hpp"
#include "sim/report/heat_map.hpp"
#include "sim/report/table.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::ordered_json;

// Beyond 1 no density is left.
constexpr double kBelowEverywhere = 2;

std::string gbps(BytesPerSecond bandwidth) {
  return fmt::format("{:.4g} Gb/s", bandwidth.value * 8 / 1e9);
}

char letter_of(std::size_t schedule) {
  return static_cast<char>('A' + schedule % 26);
}

double speed_up(const std::vector<Seconds>& times, std::size_t schedule) {
  return times.front() / times[schedule];
}

std::string density_text(double density) {
  if (density == 0)
    return "never";
  if (density >= kBelowEverywhere)
    return "always";
  return fmt::format("{:.3g}", density);
}

std::string legend_of(const Crossover& crossover) {
  std::string text;
  for (std::size_t i = 0; i < crossover.schedules.size(); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", letter_of(i), crossover.schedules[i]);
  return text;
}

std::string winners_table(const Crossover& crossover) {
  Table table{.columns = {{"nodes"}, {"GPUs"}, {"NIC"}}, .rows = {}};
  for (const double density : crossover.densities)
    table.columns.push_back({fmt::format("{:.4g}", density)});
  for (const CrossoverRow& row : crossover.rows) {
    std::vector<std::string> cells{std::to_string(row.nodes), std::to_string(row.gpus),
                                   gbps(row.bandwidth)};
    for (const std::vector<Seconds>& times : row.times) {
      const std::size_t best = fastest_of(times);
      cells.push_back(fmt::format("{} {:.2f}", letter_of(best), speed_up(times, best)));
    }
    table.rows.push_back(std::move(cells));
  }
  return render(table);
}

std::string boundary_table(const Crossover& crossover, std::size_t pair) {
  Table table{.columns = {{"GPUs"}, {"NIC"}, {"analytic"}}, .rows = {}};
  for (const std::string& model : crossover.models)
    table.columns.push_back({model});
  for (const CrossoverRow& row : crossover.rows) {
    const Boundary& boundary = row.boundaries[pair];
    std::vector<std::string> cells{std::to_string(row.gpus), gbps(row.bandwidth),
                                   density_text(boundary.analytic)};
    for (const double density : boundary.simulated)
      cells.push_back(density_text(density));
    table.rows.push_back(std::move(cells));
  }
  return render(table);
}

bool is_density(double density) {
  return density > 0 && density < kBelowEverywhere;
}

/// How far the simulation is from the analytic condition, as a factor; infinite if it has none.
double distance_of(const Boundary& boundary) {
  const double simulated = boundary.simulated.front();
  return is_density(simulated) ? std::abs(std::log(simulated / boundary.analytic))
                               : std::numeric_limits<double>::infinity();
}

/// The row whose boundary is furthest off, and of which every model has one if there is such a row.
const CrossoverRow& telling_row(const Crossover& crossover, std::size_t pair) {
  const auto rank = [&](const CrossoverRow& row) {
    const Boundary& boundary = row.boundaries[pair];
    const bool complete = std::ranges::all_of(boundary.simulated, is_density);
    return std::pair(complete, complete ? distance_of(boundary) : 0.0);
  };
  return *std::ranges::max_element(crossover.rows, {}, rank);
}

std::string moves_of(const Crossover& crossover, const Boundary& boundary) {
  std::string text;
  for (std::size_t i = 1; i < crossover.models.size(); ++i) {
    const double from = boundary.simulated[i - 1];
    const double to = boundary.simulated[i];
    const bool moves = density_text(from) != density_text(to);
    text += fmt::format(
        "{}{} {}", text.empty() ? "" : ", ", crossover.models[i],
        moves ? fmt::format("moves it to {}", density_text(to)) : std::string("changes nothing"));
  }
  return text;
}

std::string explanation(const Crossover& crossover, std::size_t pair) {
  const CrossoverRow& row = telling_row(crossover, pair);
  const Boundary& boundary = row.boundaries[pair];
  const double place = boundary.simulated.front();
  const std::string where =
      !is_density(place)
          ? fmt::format("{} is faster at every density",
                        place == 0 ? boundary.above : boundary.below)
          : fmt::format("{} overtakes {} at density {:.3g}", boundary.above, boundary.below, place);
  return fmt::format(
      "- On {} GPUs with {}, {}; the condition that counts bytes alone says {:.3g}. Leaving out "
      "one "
      "thing after the other: {}.",
      row.gpus, gbps(row.bandwidth), where, boundary.analytic, moves_of(crossover, boundary));
}

std::string boundaries_text(const Crossover& crossover) {
  std::string text;
  const std::size_t pairs = crossover.rows.front().boundaries.size();
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    const Boundary& boundary = crossover.rows.front().boundaries[pair];
    text +=
        fmt::format("\nDensity below which {} is faster than {}\n", boundary.below, boundary.above);
    text += boundary_table(crossover, pair);
  }
  if (pairs > 0)
    text += "\nWhy\n";
  for (std::size_t pair = 0; pair < pairs; ++pair)
    text += wrap(explanation(crossover, pair), 2);
  return text;
}

constexpr const char* kCaveat =
    "Only time is forecast, not convergence: at one density the schemes send different entries.";

Json boundary_json(const Crossover& crossover, const Boundary& boundary) {
  Json simulated = Json::object();
  for (std::size_t i = 0; i < crossover.models.size(); ++i) {
    const double density = boundary.simulated[i];
    simulated[crossover.models[i]] =
        is_density(density) ? Json(density) : Json(density_text(density));
  }
  return {{"faster_below", boundary.below},
          {"faster_above", boundary.above},
          {"analytic_density", boundary.analytic},
          {"simulated_density", std::move(simulated)}};
}

Json times_json(const Crossover& crossover, const CrossoverRow& row) {
  Json cells = Json::array();
  for (std::size_t i = 0; i < row.times.size(); ++i) {
    Json times = Json::object();
    for (std::size_t s = 0; s < crossover.schedules.size(); ++s)
      times[crossover.schedules[s]] = row.times[i][s].value;
    cells.push_back({{"density", crossover.densities[i]},
                     {"fastest", crossover.schedules[fastest_of(row.times[i])]},
                     {"iteration_time_s", std::move(times)}});
  }
  return cells;
}

/// Where a density lies between the columns' centres, on a logarithmic scale; NaN outside.
double place_of(const std::vector<double>& densities, double density) {
  if (!is_density(density) || density < densities.front() || density > densities.back() ||
      densities.size() < 2)
    return std::numeric_limits<double>::quiet_NaN();
  const auto above = std::max(std::ranges::lower_bound(densities, density), densities.begin() + 1);
  const double part = std::log(density / *(above - 1)) / std::log(*above / *(above - 1));
  return static_cast<double>(above - densities.begin()) - 1 + part;
}

void add_lines(HeatMap& map, const Crossover& crossover,
               const std::vector<const CrossoverRow*>& rows) {
  for (std::size_t pair = 0; pair < rows.front()->boundaries.size(); ++pair)
    for (const bool analytic : {true, false}) {
      const Boundary& first = rows.front()->boundaries[pair];
      HeatMapLine line{
          .name = fmt::format("{} left of it faster than {}: {}", first.below, first.above,
                              analytic ? "counting bytes alone" : "as simulated"),
          .at = {},
          .dashed = analytic,
          .second_colour = pair % 2 == 1};
      for (const CrossoverRow* row : rows) {
        const Boundary& boundary = row->boundaries[pair];
        line.at.push_back(place_of(crossover.densities,
                                   analytic ? boundary.analytic : boundary.simulated.front()));
      }
      map.lines.push_back(std::move(line));
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
  map.title = fmt::format("{} nodes, {} GPUs", rows.front()->nodes, rows.front()->gpus);
  map.x_label = "density: selected part of the gradient";
  map.y_label = "bandwidth of a node";
  for (const double density : crossover.densities)
    map.columns.push_back(fmt::format("{:.4g}", density));
  for (const CrossoverRow* row : rows)
    add_row(map, *row);
  add_lines(map, crossover, rows);
  return map;
}

}  // namespace

std::size_t fastest_of(const std::vector<Seconds>& times) {
  return static_cast<std::size_t>(std::ranges::min_element(times) - times.begin());
}

std::string render_crossover(const Crossover& crossover) {
  std::string text = wrap(fmt::format("Fastest schedule of {} on {}, by the density of the "
                                      "selection ({} fidelity)",
                                      crossover.workload, crossover.cluster, crossover.fidelity),
                          2);
  text += wrap(fmt::format("{}; beside the letter the speed-up over {}", legend_of(crossover),
                           crossover.schedules.front()),
               2);
  return text + "\n" + winners_table(crossover) + boundaries_text(crossover) + "\n" +
         wrap(kCaveat, 0);
}

std::string crossover_json(const Crossover& crossover) {
  Json rows = Json::array();
  for (const CrossoverRow& row : crossover.rows) {
    Json boundaries = Json::array();
    for (const Boundary& boundary : row.boundaries)
      boundaries.push_back(boundary_json(crossover, boundary));
    rows.push_back({{"nodes", row.nodes},
                    {"gpus", row.gpus},
                    {"nic_bandwidth_bytes_per_s", row.bandwidth.value},
                    {"cells", times_json(crossover, row)},
                    {"boundaries", std::move(boundaries)}});
  }
  const Json json = {{"workload", crossover.workload},   {"cluster", crossover.cluster},
                     {"fidelity", crossover.fidelity},   {"schedules", crossover.schedules},
                     {"densities", crossover.densities}, {"caveat", kCaveat},
                     {"networks", std::move(rows)}};
  return json.dump(2) + "\n";
}

std::string crossover_csv(const Crossover& crossover) {
  std::string text =
      "nodes,gpus,nic_bandwidth_bytes_per_s,density,schedule,iteration_time_s,speedup,fastest\n";
  for (const CrossoverRow& row : crossover.rows)
    for (std::size_t i = 0; i < row.times.size(); ++i)
      for (std::size_t s = 0; s < crossover.schedules.size(); ++s)
        text += fmt::format("{},{},{:.6g},{:.6g},{},{:.9g},{:.6g},{}\n", row.nodes, row.gpus,
                            row.bandwidth.value, crossover.densities[i], crossover.schedules[s],
                            row.times[i][s].value, speed_up(row.times[i], s),
                            s == fastest_of(row.times[i]) ? 1 : 0);
  return text;
}

std::string crossover_svg(const Crossover& crossover) {
  std::vector<HeatMap> maps;
  for (auto row = crossover.rows.begin(); row != crossover.rows.end();) {
    std::vector<const CrossoverRow*> rows;
    for (const std::uint32_t nodes = row->nodes; row != crossover.rows.end() && row->nodes == nodes;
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
       kCaveat});
}

}  // namespace stepcast
