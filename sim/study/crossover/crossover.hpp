#pragma once
// Where a scheme of compressed gradients is faster than another: over the density of the selection,
// the number of ranks and the bandwidth of the network.

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/units.hpp"
#include "sim/forecast/likely_range.hpp"
#include "sim/forecast/shared_notes.hpp"
#include "sim/study/sweep/sweep.hpp"

namespace stepcast {

/// What is forecast, everything resolved and checked.
struct CrossoverGrid {
  Scenario scenario;  ///< Its schedules: at least one, the first is what speed-ups are against.
  std::vector<double> densities;  ///< Ascending, in (0, 1].
  std::vector<std::uint32_t> nodes;
  std::vector<std::uint32_t> gpus_per_node;
  std::vector<BytesPerSecond> bandwidths;  ///< Of a node's NIC.
};

// In place of the density of a boundary:
inline constexpr double kNever = 0;   ///< The schedule that wins below it wins at none.
inline constexpr double kAlways = 2;  ///< It wins at every density.

/// The density at which the schedule that wins below it is overtaken.
struct Boundary {
  std::string below;              ///< Faster at lower densities: "topk-allgather".
  std::string above;              ///< Faster at higher ones: "topka2a".
  double analytic = 0;            ///< Counting bytes alone.
  std::vector<double> simulated;  ///< In each model of Crossover::models.
};

/// Forecasts on one network, by density and schedule.
struct CrossoverRow {
  std::uint32_t nodes = 1;
  std::uint32_t gpus = 1;
  BytesPerSecond bandwidth{};  ///< Of a node's NIC.
  std::vector<std::vector<Seconds>> times;
  std::vector<LikelyRange> ranges;  ///< Of the times of each schedule.
  std::vector<Boundary> boundaries;
};

struct Crossover {
  std::string workload;
  std::string cluster;
  std::string fidelity;
  std::vector<std::string> schedules;  ///< The first is what speed-ups are against.
  std::vector<double> densities;
  /// What was left out of the simulation of a boundary, one thing more each time: the first leaves
  /// out nothing, the last everything that the analytic conditions ignore.
  std::vector<std::string> models;
  std::vector<CrossoverRow> rows;
  SharedNotes notes{};  ///< Of the forecasts without anything left out.
};

/// Whether a boundary lies at a density.
bool is_density(double place);

/// Over the first schedule.
double speed_up(const std::vector<Seconds>& times, std::size_t schedule);

/// Index of the fastest schedule; the first of equals.
std::size_t fastest_of(const std::vector<Seconds>& times);

/// How many simulations that takes, those that look for boundaries included, at most.
std::size_t simulations_of(const CrossoverGrid& grid);

/// The sweep of a crossover: a job for each network, whose combinations are the times of its cells,
/// and then its boundaries in one model after the other.
Sweep plan_crossover(const CrossoverGrid& grid);

/// Forecasts every cell of the grid and finds the boundaries between schemes of compressed
/// gradients and the first schedule of whole ones, as far as they are among the schedules. When a
/// signal asks to stop, the networks that are complete are kept. Throws InputError for what a
/// schedule refuses. `came`: called with the number of a network, which has no boundaries yet, as
/// soon as its times are there; the rest of `of` is as it will be, without rows.
Crossover find_crossover(
    const CrossoverGrid& grid, StudyRules rules = {},
    const std::function<void(std::uint32_t, const Crossover& of, const CrossoverRow&)>& came = {});

}  // namespace stepcast
