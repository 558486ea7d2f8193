#include "sim/forecast/tuning/gaussian_process.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace stepcast {
namespace {

// With a length of sqrt(5) a distance d has s = d. At distance 1:
// (1 + 1 + 1/3) / e = 7 / (3 e) = 0.8583; at 1/2: (1 + 1/2 + 1/12) / sqrt(e) = 0.9603.
const double kLength = std::sqrt(5.0);
const double kAtOne = 7 / (3 * std::numbers::e);
const double kAtHalf = (1.5 + 1.0 / 12) * std::exp(-0.5);

TEST(Matern52, FollowsTheFormula) {
  EXPECT_DOUBLE_EQ(matern52(0, kLength), 1);
  EXPECT_NEAR(matern52(1, kLength), kAtOne, 1e-15);
  EXPECT_NEAR(matern52(0.5, kLength), kAtHalf, 1e-15);
}

TEST(GaussianProcess, OneObservationPullsItsNeighboursByTheirCorrelation) {
  // C = 1: mean(x) = c(x) y = 2 c, variance(x) = 3 (1 - c^2).
  const GaussianProcess process({0}, {2}, {.length = kLength, .variance = 3, .noise = 0});
  EXPECT_NEAR(process.at(1).mean, 2 * kAtOne, 1e-14);
  EXPECT_NEAR(process.at(1).deviation, std::sqrt(3 * (1 - kAtOne * kAtOne)), 1e-14);
  EXPECT_NEAR(process.at(1e3).mean, 0, 1e-14);
  EXPECT_NEAR(process.at(1e3).deviation, std::sqrt(3.0), 1e-14);
}

TEST(GaussianProcess, PassesThroughObservationsWithoutNoise) {
  const GaussianProcess process({0, 1}, {1, -4}, {.length = kLength, .noise = 0});
  EXPECT_NEAR(process.at(0).mean, 1, 1e-12);
  EXPECT_NEAR(process.at(1).mean, -4, 1e-12);
  EXPECT_NEAR(process.at(1).deviation, 0, 1e-7);
}

TEST(GaussianProcess, TwoObservationsMatchThePosteriorByHand) {
  // C = [1 c; c 1] has eigenvectors (1, 1) of 1 + c and (1, -1) of 1 - c.
  // Between the two c(x) = (h, h), so mean = h (y0 + y1) / (1 + c), variance = 1 - 2 h^2 / (1 + c).
  const GaussianProcess process({0, 1}, {1, 2}, {.length = kLength, .noise = 0});
  EXPECT_NEAR(process.at(0.5).mean, 3 * kAtHalf / (1 + kAtOne), 1e-12);
  EXPECT_NEAR(process.at(0.5).deviation, std::sqrt(1 - 2 * kAtHalf * kAtHalf / (1 + kAtOne)),
              1e-12);
}

TEST(GaussianProcess, NoiseDrawsTheMeanOffTheObservation) {
  // y = (1, -1) is the eigenvector of 1 + noise - c, and c(0) y = 1 - c.
  const GaussianProcess process({0, 1}, {1, -1}, {.length = kLength, .noise = 0.5});
  EXPECT_NEAR(process.at(0).mean, (1 - kAtOne) / (1.5 - kAtOne), 1e-13);
}

TEST(GaussianProcess, LogMarginalLikelihoodMatchesTheHandSolvedOne) {
  // y' C^-1 y = 2 / (1 - c) and |C| = 1 - c^2 for y = (1, -1); a variance v divides the first and
  // multiplies the second by v^2.
  const double expected = -0.5 * (2 / (1 - kAtOne) / 4 + std::log((1 - kAtOne * kAtOne) * 16) +
                                  2 * std::log(2 * std::numbers::pi));
  const GaussianProcess process({0, 1}, {1, -1}, {.length = kLength, .variance = 4, .noise = 0});
  EXPECT_NEAR(process.log_marginal_likelihood(), expected, 1e-12);
}

TEST(MostLikelyProcess, TellsASmoothFunctionFromARoughOne) {
  std::vector<double> points;
  std::vector<double> line;
  std::vector<double> zigzag;
  for (int i = 0; i < 11; ++i) {
    points.push_back(i / 10.0);
    line.push_back(i / 5.0 - 1);
    zigzag.push_back(i % 2 == 0 ? 1 : -1);
  }
  EXPECT_GE(most_likely_process(points, line).covariance().length, 0.8);
  EXPECT_LE(most_likely_process(points, zigzag).covariance().length, 0.1);
}

TEST(MostLikelyProcess, IsMoreLikelyThanOthersOfItsVarianceFormula) {
  const std::vector<double> points{0, 0.3, 0.5, 1};
  const std::vector<double> values{1, -0.2, -1, 0.4};
  const double best = most_likely_process(points, values).log_marginal_likelihood();
  for (const double length : {0.1, 0.2, 0.4, 0.8})
    for (const double variance : {0.3, 1.0, 3.0})
      EXPECT_LE(GaussianProcess(points, values, {.length = length, .variance = variance})
                    .log_marginal_likelihood(),
                best + 1e-12);
}

}  // namespace
}  // namespace stepcast
