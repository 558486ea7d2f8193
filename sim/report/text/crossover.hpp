#pragma once
// Where a scheme of compressed gradients is faster than another: over the density of the selection,
// the number of ranks and the bandwidth of the network.

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/units.hpp"
#include "sim/report/text/shared_notes.hpp"

namespace stepcast {

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

inline constexpr const char* kCrossoverCaveat =
    "Only time is forecast, not convergence: at one density the schemes send different entries.";

/// Whether a boundary lies at a density, and its text: "0.0161", "never", "always".
bool is_density(double place);
std::string density_text(double place);

std::string gbps(BytesPerSecond bandwidth);  ///< "2.5 Gb/s"
char letter_of(std::size_t schedule);        ///< 'A' for the first.

/// Over the first schedule.
double speed_up(const std::vector<Seconds>& times, std::size_t schedule);

/// Index of the fastest schedule; the first of equals.
std::size_t fastest_of(const std::vector<Seconds>& times);

/// Tables of winners and boundaries, and what moves a boundary away from its analytic place.
std::string render_crossover(const Crossover& crossover);
std::string crossover_json(const Crossover& crossover);
/// A line for each network, density and schedule.
std::string crossover_csv(const Crossover& crossover);
/// A heat map for each number of nodes: densities across, bandwidths up.
std::string crossover_svg(const Crossover& crossover);

}  // namespace stepcast
