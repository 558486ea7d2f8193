#pragma once
// Where a scheme of compressed gradients is faster than another: the density of the selection at
// which the order of two schedules changes, for each job of a sweep.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/study/sweep/sweep.hpp"

namespace stepcast {

// In place of the density of a boundary:
inline constexpr double kNever = 0;   ///< The schedule that wins below it wins at none.
inline constexpr double kAlways = 2;  ///< It wins at every density.

/// Whether a boundary lies at a density.
bool is_density(double place);

/// The density at which the schedule that wins below it is overtaken.
struct Boundary {
  std::string below;              ///< Faster at lower densities: "topk-allgather".
  std::string above;              ///< Faster at higher ones: "topka2a".
  double analytic = 0;            ///< Counting bytes alone.
  std::vector<double> simulated;  ///< In each of boundary_models().
};

/// What is left out of the simulation of a boundary, one thing more each time: the first leaves out
/// nothing, the last everything that the analytic conditions ignore.
std::vector<std::string> boundary_models();

/// The boundaries of one job, which its cells of the sweep name.
struct JobBoundaries {
  std::vector<Cell> job;
  std::uint32_t gpus = 1;
  std::vector<Boundary> boundaries;
};

/// Returns how many simulations find_boundaries() takes. Throws InputError for more than 16,384
/// GPUs.
std::size_t forecasts_of(const Sweep& sweep);

/// The boundaries between schemes of compressed gradients and the first schedule of whole ones, as
/// far as they are among the schedules of the sweep, by bisection; settings of the job hold. Jobs
/// without boundaries, such as those of one GPU, are left out. When a signal asks to stop, the jobs
/// that are complete are kept, and it throws Stopped where there are none.
std::vector<JobBoundaries> find_boundaries(const Sweep& sweep, const StudyRules& rules);

}  // namespace stepcast
