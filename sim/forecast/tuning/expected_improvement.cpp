#include "sim/forecast/tuning/expected_improvement.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <boost/math/distributions/normal.hpp>
#include <nlopt.hpp>

namespace stepcast {
namespace {

using Acquisition = std::function<double(double point)>;

constexpr double kForbidden = -1;

double evaluate(const std::vector<double>& at, std::vector<double>& /*gradient*/,
                void* acquisition) {
  return (*static_cast<Acquisition*>(acquisition))(at[0]);
}

struct Look {
  double point = 0;
  double value = 0;
};

std::vector<Look> grid_of(const Acquisition& acquisition, int looks) {
  std::vector<Look> grid;
  for (int look = 0; look < looks; ++look) {
    const double point = static_cast<double>(look) / (looks - 1);
    grid.push_back({.point = point, .value = acquisition(point)});
  }
  return grid;
}

/// The best point of the grid; among those that are as good but for rounding, the roomiest.
double best_of(const std::vector<Look>& grid, const Room& room) {
  constexpr double kRelative = 1e-9;
  const double highest = std::ranges::max(grid, {}, &Look::value).value;
  const double enough = highest - kRelative * std::abs(highest);
  double best = 0;
  double most_room = -1;
  for (const Look& look : grid) {
    if (look.value < enough || room(look.point) <= most_room)
      continue;
    best = look.point;
    most_room = room(look.point);
  }
  return best;
}

/// The highest point that NLopt finds from `begin` on, first going `step` far.
double climb(Acquisition& acquisition, double begin, double step) {
  constexpr int kMostEvaluations = 50;
  nlopt::opt optimiser(nlopt::LN_BOBYQA, 1);
  optimiser.set_max_objective(evaluate, &acquisition);
  optimiser.set_lower_bounds(0.0);
  optimiser.set_upper_bounds(1.0);
  optimiser.set_maxeval(kMostEvaluations);
  optimiser.set_initial_step(step);
  optimiser.set_xtol_abs(step * 1e-3);
  std::vector<double> point{begin};
  double highest = 0;
  try {
    optimiser.optimize(point, highest);
  } catch (const nlopt::roundoff_limited&) {  // as near as numbers get: `point` is good
  }
  return point[0];
}

}  // namespace

double expected_improvement(const Prediction& prediction, double best, double xi) {
  const double gain = best - prediction.mean - xi;
  if (prediction.deviation <= 0)
    return std::max(gain, 0.0);
  const double z = gain / prediction.deviation;
  const boost::math::normal standard;
  return gain * cdf(standard, z) + prediction.deviation * pdf(standard, z);
}

std::optional<double> most_promising_point(const GaussianProcess& process, double best, double xi,
                                           const Room& room) {
  Acquisition acquisition = [&](double point) {
    return room(point) > 0 ? expected_improvement(process.at(point), best, xi) : kForbidden;
  };
  constexpr int kLooks = 201;
  constexpr double kSpacing = 1.0 / (kLooks - 1);
  const double somewhere = best_of(grid_of(acquisition, kLooks), room);
  const double nearby = climb(acquisition, somewhere, kSpacing);
  const double point = acquisition(nearby) > acquisition(somewhere) ? nearby : somewhere;
  return acquisition(point) > kForbidden ? std::optional(point) : std::nullopt;
}

}  // namespace stepcast
