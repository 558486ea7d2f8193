#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/cli/run_request.hpp"
#include "sim/report/text/crossover.hpp"

namespace stepcast {

/// What is forecast, everything resolved and checked.
struct CrossoverGrid {
  Scenario scenario;  ///< Its schedules: at least one, the first is what speed-ups are against.
  std::vector<double> densities;  ///< Ascending, in (0, 1].
  std::vector<std::uint32_t> nodes;
  std::vector<BytesPerSecond> bandwidths;  ///< Of a node's NIC.
};

/// Forecasts every cell of the grid and finds the boundaries between topk-allgather, topka2a and
/// the first schedule of whole gradients, as far as they are among the schedules. On `workers`
/// processes; for any number of them the same. Throws InputError for what a schedule refuses.
Crossover find_crossover(const CrossoverGrid& grid, std::uint32_t workers);

}  // namespace stepcast
