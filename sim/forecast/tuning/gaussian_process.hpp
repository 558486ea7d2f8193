#pragma once

#include <vector>

#include <Eigen/Cholesky>

namespace stepcast {

/// Covariance of a Gaussian process over one dimension.
struct Covariance {
  double length = 0.2;  ///< Distance over which values resemble each other.
  double variance = 1;  ///< Of the function around its mean, 0.
  double noise = 1e-6;  ///< Variance of what an observation adds to it, relative to `variance`.
};

/// What a process says of one point.
struct Prediction {
  double mean = 0;
  double deviation = 0;  ///< Standard deviation of the function, without the noise.
};

/// Matern 5/2 correlation of two points at `distance`:
/// (1 + s + s^2/3) exp(-s), s = sqrt(5) distance / length.
double matern52(double distance, double length);

/// A Gaussian process of mean 0 conditioned on observations (Rasmussen and Williams, Gaussian
/// Processes for Machine Learning, 2006, algorithm 2.1). With C the correlations of the observed
/// points plus noise on the diagonal and c(x) those with x:
///   mean(x) = c(x)' C^-1 y,   variance(x) = variance (1 - c(x)' C^-1 c(x)).
class GaussianProcess {
 public:
  /// As many `values` as `points`, at least one.
  GaussianProcess(std::vector<double> points, const std::vector<double>& values,
                  const Covariance& covariance);

  Prediction at(double point) const;
  double log_marginal_likelihood() const;
  const Covariance& covariance() const { return covariance_; }

 private:
  std::vector<double> points_;
  Covariance covariance_;
  Eigen::VectorXd values_;
  Eigen::LLT<Eigen::MatrixXd> factor_;  // of C
  Eigen::VectorXd weights_;             // C^-1 y
};

/// The process of the highest marginal likelihood: length and noise on a grid, the variance by its
/// closed form y' C^-1 y / n for each of them.
GaussianProcess most_likely_process(const std::vector<double>& points,
                                    const std::vector<double>& values);

}  // namespace stepcast
