#pragma once

#include <string>

#include "sim/study/crossover/crossover.hpp"

namespace stepcast {

inline constexpr const char* kCrossoverCaveat =
    "Only time is forecast, not convergence: at one density the schemes send different entries.";

std::string density_text(double place);  ///< "0.0161", "never", "always"
char letter_of(std::size_t schedule);    ///< 'A' for the first.

/// Tables of winners and boundaries, and what moves a boundary away from its analytic place.
std::string render_crossover(const Crossover& crossover);
std::string crossover_json(const Crossover& crossover);
std::string crossover_csv_head();
/// A line for each density and schedule.
std::string crossover_csv_rows(const Crossover& of, const CrossoverRow& row);
/// A heat map for each number of nodes: densities across, bandwidths up.
std::string crossover_svg(const Crossover& crossover);

}  // namespace stepcast
