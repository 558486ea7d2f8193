#include "sim/report/text/studies/boundaries_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "models/base/numbers.hpp"
#include "sim/report/text/sweep_report.hpp"
#include "sim/report/text/table.hpp"

namespace stepcast {
namespace {

using Json = nlohmann::ordered_json;
using Jobs = std::vector<JobBoundaries>;

/// "0.0161", "never", "always"
std::string density_text(double place) {
  if (place <= kNever)
    return "never";
  return is_density(place) ? fmt::format("{:.3g}", place) : "always";
}

std::string table_of(const Jobs& jobs, std::size_t pair) {
  Table table{.columns = {{"GPUs"}}};
  const std::vector<std::size_t> varying = varying_cells(jobs, &JobBoundaries::job);
  for (const std::size_t cell : varying)
    table.columns.push_back({jobs.front().job[cell].name});
  table.columns.push_back({"analytic"});
  for (const std::string& model : boundary_models())
    table.columns.push_back({model});
  for (const JobBoundaries& each : jobs) {
    std::vector<std::string> cells{std::to_string(each.gpus)};
    for (const std::size_t cell : varying)
      cells.push_back(each.job[cell].value);
    cells.push_back(density_text(each.boundaries[pair].analytic));
    for (const double density : each.boundaries[pair].simulated)
      cells.push_back(density_text(density));
    table.rows.push_back(std::move(cells));
  }
  return render(table);
}

/// How far the simulation is from the analytic condition, as a factor; infinite if it has none.
double distance_of(const Boundary& boundary) {
  const double simulated = boundary.simulated.front();
  return is_density(simulated) ? std::abs(std::log(simulated / boundary.analytic))
                               : std::numeric_limits<double>::infinity();
}

/// The job whose boundary is furthest off, and of which every model has one if there is such a job.
const JobBoundaries& telling_job(const Jobs& jobs, std::size_t pair) {
  const auto rank = [&](const JobBoundaries& job) {
    const Boundary& boundary = job.boundaries[pair];
    const bool complete = std::ranges::all_of(boundary.simulated, is_density);
    return std::pair(complete, complete ? distance_of(boundary) : 0.0);
  };
  return *std::ranges::max_element(jobs, {}, rank);
}

std::string moves_of(const Boundary& boundary) {
  std::vector<std::string> moves;
  const std::vector<std::string> models = boundary_models();
  for (std::size_t i = 1; i < boundary.simulated.size(); ++i) {
    const std::string from = density_text(boundary.simulated[i - 1]);
    const std::string to = density_text(boundary.simulated[i]);
    moves.push_back(models[i] + (from != to ? " moves it to " + to : " changes nothing"));
  }
  return fmt::format("{}", fmt::join(moves, ", "));
}

std::string in_words(const Boundary& boundary, double place) {
  if (is_density(place))
    return fmt::format("{} overtakes {} at density {:.3g}", boundary.above, boundary.below, place);
  return fmt::format("{} is faster at every density",
                     place == kNever ? boundary.above : boundary.below);
}

/// What counting bytes says, beside what was simulated.
std::string analytic_verdict(const Boundary& boundary) {
  if (is_density(boundary.analytic))
    return fmt::format("{:.3g}", boundary.analytic);
  return boundary.analytic == boundary.simulated.front()
             ? "the same"
             : fmt::format("that {}", in_words(boundary, boundary.analytic));
}

std::string explanation(const Jobs& jobs, std::size_t pair) {
  const JobBoundaries& job = telling_job(jobs, pair);
  const Boundary& boundary = job.boundaries[pair];
  std::string where = gpus_in_words(job.gpus);
  for (const std::size_t cell : varying_cells(jobs, &JobBoundaries::job))
    where += fmt::format(", {}={}", job.job[cell].name, job.job[cell].value);
  return fmt::format(
      "- On {}: {}; the condition that counts bytes alone says {}. Leaving out one thing after "
      "the other: {}.",
      where, in_words(boundary, boundary.simulated.front()), analytic_verdict(boundary),
      moves_of(boundary));
}

Json density_json(double density) {
  return is_density(density) ? Json(density) : Json(density_text(density));
}

Json boundary_json(const Boundary& boundary) {
  Json simulated = Json::object();
  const std::vector<std::string> models = boundary_models();
  for (std::size_t i = 0; i < boundary.simulated.size(); ++i)
    simulated[models[i]] = density_json(boundary.simulated[i]);
  return {{"faster_below", boundary.below},
          {"faster_above", boundary.above},
          {"analytic_density", density_json(boundary.analytic)},
          {"simulated_density", std::move(simulated)}};
}

}  // namespace

std::string render_boundaries(const Jobs& jobs) {
  std::string text, why;
  const std::size_t pairs = jobs.empty() ? 0 : jobs.front().boundaries.size();
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    const Boundary& boundary = jobs.front().boundaries[pair];
    text +=
        fmt::format("\nDensity below which {} is faster than {}\n", boundary.below, boundary.above);
    text += table_of(jobs, pair);
    why += wrap(explanation(jobs, pair), 2);
  }
  return why.empty() ? "" : text + "\nWhy\n" + why + wrap(kDensityCaveat, 0);
}

Json boundaries_json(const Jobs& jobs) {
  Json json = Json::array();
  for (const JobBoundaries& each : jobs) {
    Json entry{{"combination", Json::object()}, {"gpus", each.gpus}};
    for (const Cell& cell : each.job)
      entry["combination"][cell.name] = cell.value;
    entry["boundaries"] = Json::array();
    for (const Boundary& boundary : each.boundaries)
      entry["boundaries"].push_back(boundary_json(boundary));
    json.push_back(std::move(entry));
  }
  return json;
}

}  // namespace stepcast
