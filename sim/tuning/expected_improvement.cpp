#include "sim/tuning/expected_improvement.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include <nlopt.hpp>

namespace stepcast {
namespace {

double normal_density(double z) {
  return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
}

double normal_distribution(double z) {
  return std::erfc(-z / std::numbers::sqrt2) / 2;
}

using Acquisition = std::function<double(double point)>;

constexpr double kForbidden = -1;

double evaluate(const std::vector<double>& at, std::vector<double>& /*gradient*/,
                void* acquisition) {
  return (*static_cast<Acquisition*>(acquisition))(at[0]);
}

/// Where in [0, 1] an algorithm finds the highest value. `step` is its first step; 0: its own
/// choice.
double maximise(Acquisition& acquisition, nlopt::algorithm algorithm, int evaluations, double begin,
                double step) {
  nlopt::opt optimiser(algorithm, 1);
  optimiser.set_max_objective(evaluate, &acquisition);
  optimiser.set_lower_bounds(0.0);
  optimiser.set_upper_bounds(1.0);
  optimiser.set_maxeval(evaluations);
  if (step > 0) {
    optimiser.set_initial_step(step);
    optimiser.set_xtol_abs(step * 1e-3);
  }
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
  return gain * normal_distribution(z) + prediction.deviation * normal_density(z);
}

std::optional<double> most_promising_point(const GaussianProcess& process, double best, double xi,
                                           const std::function<bool(double point)>& allowed) {
  Acquisition acquisition = [&](double point) {
    return allowed(point) ? expected_improvement(process.at(point), best, xi) : kForbidden;
  };
  constexpr int kLooks = 200;
  constexpr int kPolishes = 50;
  constexpr double kNear = 0.01;
  const double somewhere = maximise(acquisition, nlopt::GN_DIRECT_L, kLooks, 0.5, 0);
  const double nearby = maximise(acquisition, nlopt::LN_BOBYQA, kPolishes, somewhere, kNear);
  const double point = acquisition(nearby) > acquisition(somewhere) ? nearby : somewhere;
  return acquisition(point) > kForbidden ? std::optional(point) : std::nullopt;
}

}  // namespace stepcast
