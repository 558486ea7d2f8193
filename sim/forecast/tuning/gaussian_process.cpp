#include "sim/forecast/tuning/gaussian_process.hpp"

#include <array>
#include <cassert>
#include <cmath>
#include <numbers>
#include <optional>

namespace stepcast {
namespace {

using Index = Eigen::Index;

// Lengths as shares of the range searched: from a feature that ten trials cannot resolve to a
// straight line. Observations of a simulation carry no noise; the larger values stand for the steps
// of a function that no smooth process follows.
constexpr std::array kLengths{0.05, 0.07, 0.1, 0.14, 0.2, 0.28, 0.4, 0.57, 0.8, 1.1, 1.6};
constexpr std::array kNoises{1e-6, 1e-4, 1e-2, 1e-1};

Eigen::VectorXd correlations(const std::vector<double>& points, double point, double length) {
  Eigen::VectorXd result(static_cast<Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i)
    result[static_cast<Index>(i)] = matern52(std::abs(points[i] - point), length);
  return result;
}

Eigen::MatrixXd correlations(const std::vector<double>& points, const Covariance& covariance) {
  const auto count = static_cast<Index>(points.size());
  Eigen::MatrixXd matrix(count, count);
  for (std::size_t i = 0; i < points.size(); ++i)
    matrix.col(static_cast<Index>(i)) = correlations(points, points[i], covariance.length);
  matrix.diagonal().array() += covariance.noise;
  return matrix;
}

/// The likeliest variance of a process of this length and noise.
double likeliest_variance(const std::vector<double>& points, const std::vector<double>& values,
                          const Covariance& covariance) {
  const Eigen::Map<const Eigen::VectorXd> y(values.data(), static_cast<Index>(values.size()));
  const Eigen::MatrixXd matrix = correlations(points, covariance);
  const double variance = y.dot(matrix.llt().solve(y)) / static_cast<double>(values.size());
  constexpr double kLeast = 1e-12;  // all values are 0
  return std::max(variance, kLeast);
}

}  // namespace

double matern52(double distance, double length) {
  const double s = std::sqrt(5.0) * distance / length;
  return (1 + s + s * s / 3) * std::exp(-s);
}

GaussianProcess::GaussianProcess(std::vector<double> points, const std::vector<double>& values,
                                 const Covariance& covariance)
    : points_(std::move(points)),
      covariance_(covariance),
      values_(Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Index>(values.size()))),
      factor_(correlations(points_, covariance)),
      weights_(factor_.solve(values_)) {
  assert(!points_.empty() && points_.size() == values.size());
}

Prediction GaussianProcess::at(double point) const {
  const Eigen::VectorXd towards = correlations(points_, point, covariance_.length);
  const Eigen::VectorXd half = factor_.matrixL().solve(towards);
  const double rest = std::max(0.0, 1 - half.squaredNorm());
  return {.mean = towards.dot(weights_), .deviation = std::sqrt(covariance_.variance * rest)};
}

double GaussianProcess::log_marginal_likelihood() const {
  const auto count = static_cast<double>(points_.size());
  const Eigen::MatrixXd triangle = factor_.matrixL();
  const double log_determinant =
      2 * triangle.diagonal().array().log().sum() + count * std::log(covariance_.variance);
  const double misfit = values_.dot(weights_) / covariance_.variance;
  return -0.5 * (misfit + log_determinant + count * std::log(2 * std::numbers::pi));
}

GaussianProcess most_likely_process(const std::vector<double>& points,
                                    const std::vector<double>& values) {
  std::optional<GaussianProcess> best;
  for (const double length : kLengths) {
    for (const double noise : kNoises) {
      Covariance covariance{.length = length, .noise = noise};
      covariance.variance = likeliest_variance(points, values, covariance);
      GaussianProcess process(points, values, covariance);
      if (!best || process.log_marginal_likelihood() > best->log_marginal_likelihood())
        best = std::move(process);
    }
  }
  return *best;
}

}  // namespace stepcast
