#include "sim/report/text/studies/crossover_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "sim/report/text/table.hpp"
#include "sim/report/text/wording.hpp"

namespace stepcast {
namespace {

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
  return render_in_parts(table, 3);
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

std::string explanation(const Crossover& crossover, std::size_t pair) {
  const CrossoverRow& row = telling_row(crossover, pair);
  const Boundary& boundary = row.boundaries[pair];
  return fmt::format(
      "- On {} with {}, {}; the condition that counts bytes alone says {}. Leaving out one "
      "thing after the other: {}.",
      gpus_in_words(row.gpus), gbps(row.bandwidth), in_words(boundary, boundary.simulated.front()),
      analytic_verdict(boundary), moves_of(crossover, boundary));
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

}  // namespace

char letter_of(std::size_t schedule) {
  return static_cast<char>('A' + schedule % 26);
}

std::string density_text(double place) {
  if (place <= kNever)
    return "never";
  return is_density(place) ? fmt::format("{:.3g}", place) : "always";
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
         wrap(kCrossoverCaveat, 0) + text_of(crossover.notes, kMostNotes);
}

}  // namespace stepcast
