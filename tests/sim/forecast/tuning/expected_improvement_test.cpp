#include "sim/forecast/tuning/expected_improvement.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace stepcast {
namespace {

double everywhere(double /*point*/) {
  return 1;
}

TEST(ExpectedImprovement, FollowsTheFormula) {
  // gain 0: phi(0) = 0.398942; gain 1: Phi(1) + phi(1) = 0.841345 + 0.241971.
  EXPECT_NEAR(expected_improvement({.mean = 0, .deviation = 1}, 0, 0), 0.398942, 1e-6);
  EXPECT_NEAR(expected_improvement({.mean = -1, .deviation = 1}, 0, 0), 1.083316, 1e-6);
  // Everything doubled, the improvement doubles.
  EXPECT_NEAR(expected_improvement({.mean = -2, .deviation = 2}, 0, 0), 2.166631, 1e-6);
}

TEST(ExpectedImprovement, XiCountsLikeAWorseMean) {
  EXPECT_DOUBLE_EQ(expected_improvement({.mean = 0.2, .deviation = 1}, 0.5, 0.1),
                   expected_improvement({.mean = 0.3, .deviation = 1}, 0.5, 0));
}

TEST(ExpectedImprovement, WithoutDoubtItIsTheGain) {
  EXPECT_DOUBLE_EQ(expected_improvement({.mean = 1, .deviation = 0}, 3, 0), 2);
  EXPECT_DOUBLE_EQ(expected_improvement({.mean = 3, .deviation = 0}, 1, 0), 0);
}

TEST(MostPromisingPoint, LiesFarFromTheOnlyObservation) {
  // One observation at 0.1: the mean rises to 0 nowhere faster than at the other end.
  const GaussianProcess process({0.1}, {0}, {.length = 0.5});
  EXPECT_NEAR(most_promising_point(process, 0, 0.1, everywhere).value(), 1, 1e-4);
}

TEST(MostPromisingPoint, LiesInTheValleyOnceTheRestIsKnown) {
  std::vector<double> points;
  std::vector<double> values;
  for (int i = 0; i <= 10; ++i) {
    if (i == 6)
      continue;  // the minimum of the parabola is not observed
    points.push_back(i / 10.0);
    values.push_back((i - 6) * (i - 6) / 10.0);
  }
  const GaussianProcess process(points, values, {.length = 0.5, .variance = 4});
  EXPECT_NEAR(most_promising_point(process, 0.1, 0, everywhere).value(), 0.6, 0.02);
}

TEST(MostPromisingPoint, KeepsToWhatIsAllowed) {
  const GaussianProcess process({0}, {0}, {.length = 0.5});
  const auto lower_half = [](double point) { return point <= 0.5 ? 1.0 : 0.0; };
  EXPECT_NEAR(most_promising_point(process, 0, 0, lower_half).value(), 0.5, 0.01);
  EXPECT_FALSE(most_promising_point(process, 0, 0, [](double) { return 0.0; }));
}

TEST(MostPromisingPoint, OfEquallyGoodOnesIsTheFarthestFromWhatWasTried) {
  // Three equal observations of next to no variance: 0.1 is expected nowhere. The widest gap is
  // that from 0.4 to 1.
  const GaussianProcess process({0, 0.4, 1}, {0, 0, 0}, {.length = 0.05, .variance = 1e-12});
  const auto room = [](double point) {
    return std::min({point, std::abs(point - 0.4), 1 - point});
  };
  EXPECT_NEAR(most_promising_point(process, 0, 0.1, room).value(), 0.7, 1e-9);
}

}  // namespace
}  // namespace stepcast
