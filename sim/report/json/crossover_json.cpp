#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/report/json/study_json.hpp"
#include "sim/report/text/clean.hpp"
#include "sim/report/text/studies/crossover_report.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::ordered_json;

Json density_json(double density) {
  return is_density(density) ? Json(density) : Json(density_text(density));
}

Json boundary_json(const Crossover& crossover, const Boundary& boundary) {
  Json simulated = Json::object();
  for (std::size_t i = 0; i < crossover.models.size(); ++i)
    simulated[crossover.models[i]] = density_json(boundary.simulated[i]);
  return {{"faster_below", boundary.below},
          {"faster_above", boundary.above},
          {"analytic_density", density_json(boundary.analytic)},
          {"simulated_density", std::move(simulated)}};
}

Json times_json(const Crossover& crossover, const CrossoverRow& row) {
  Json cells = Json::array();
  for (std::size_t i = 0; i < row.times.size(); ++i) {
    Json cell{{"density", crossover.densities[i]},
              {"fastest", crossover.schedules[fastest_of(row.times[i])]}};
    for (std::size_t s = 0; s < crossover.schedules.size(); ++s) {
      const Seconds time = row.times[i][s];
      Json step{{"iteration_time_s", time.value}};
      add_likely(step, likely_step(row.ranges[s], time));
      for (const auto& [key, value] : step.items())
        cell[key][crossover.schedules[s]] = value;
    }
    cells.push_back(std::move(cell));
  }
  return cells;
}

}  // namespace

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
  Json json = study_json({.workload = crossover.workload,
                          .cluster = crossover.cluster,
                          .fidelity = crossover.fidelity});
  json["schedules"] = crossover.schedules;
  json["densities"] = crossover.densities;
  json["caveat"] = kCrossoverCaveat;
  json["notes"] = texts_of(crossover.notes.notes());
  json["networks"] = std::move(rows);
  return printed(json);
}

std::string crossover_csv_head() {
  return csv_line({"nodes", "gpus", "nic_bandwidth_bytes_per_s", "density", "schedule",
                   "iteration_time_s", "speedup", "fastest"});
}

std::string crossover_csv_rows(const Crossover& of, const CrossoverRow& row) {
  std::string text;
  for (std::size_t i = 0; i < row.times.size(); ++i)
    for (std::size_t s = 0; s < of.schedules.size(); ++s)
      text += csv_line({std::to_string(row.nodes), std::to_string(row.gpus),
                        fmt::format("{:.6g}", row.bandwidth.value),
                        fmt::format("{:.6g}", of.densities[i]), of.schedules[s],
                        fmt::format("{:.9g}", row.times[i][s].value),
                        fmt::format("{:.6g}", speed_up(row.times[i], s)),
                        s == fastest_of(row.times[i]) ? "1" : "0"});
  return text;
}

}  // namespace stepcast
