#include "models/device/size_curve.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

TEST(SizeCurve, GoesThroughItsPointsWhateverTheirOrder) {
  const SizeCurve curve({{100, Seconds{3}}, {1, Seconds{1}}, {10, Seconds{2}}});
  EXPECT_NEAR(curve.at(1).value, 1, 1e-12);
  EXPECT_NEAR(curve.at(10).value, 2, 1e-12);
  EXPECT_NEAR(curve.at(100).value, 3, 1e-12);
}

TEST(SizeCurve, IsExactForAPowerLaw) {
  // Time = size^3 / 1000: 1000 at 100, between and beyond the points.
  const SizeCurve curve({{10, Seconds{1}}, {50, Seconds{125}}, {200, Seconds{8000}}});
  EXPECT_NEAR(curve.at(100).value, 1000, 1e-6);
  EXPECT_NEAR(curve.at(400).value, 64000, 1e-3);
}

TEST(SizeCurve, IsTheOnlyTimeOfASinglePoint) {
  const SizeCurve curve({{10, Seconds{2}}});
  EXPECT_DOUBLE_EQ(curve.at(1).value, 2);
  EXPECT_DOUBLE_EQ(curve.at(1e9).value, 2);
}

TEST(SizeCurve, BelowTheFirstPointNeverGrows) {
  // A falling start must not make smaller sizes slower without end: the slope is kept at 0.
  const SizeCurve curve({{8, Seconds{2}}, {16, Seconds{1}}, {32, Seconds{1.5}}});
  EXPECT_DOUBLE_EQ(curve.at(1).value, 2);
}

TEST(SizeCurve, FollowsStartUpAndBandwidthWithinThreePerCent) {
  // Time = 10 us + size / 1 GB/s at every fourth size; predicted at the sizes between.
  const auto time = [](double size) { return Seconds{1e-5 + size / 1e9}; };
  std::vector<SizeCurve::Point> points;
  for (double size = 64; size < 1e9; size *= 4)
    points.push_back({size, time(size)});
  const SizeCurve curve(points);
  for (double size = 128; size < 2.5e8; size *= 4)
    EXPECT_NEAR(curve.at(size) / time(size), 1, 0.03) << size;
}

TEST(SizeCurve, IsMonotoneBetweenMonotonePoints) {
  const SizeCurve curve({{1, Seconds{1}}, {2, Seconds{1.01}}, {4, Seconds{5}}, {8, Seconds{5.1}}});
  double before = 0;
  for (double size = 1; size <= 8; size *= 1.05) {
    EXPECT_GE(curve.at(size).value, before);
    before = curve.at(size).value;
  }
}

}  // namespace
}  // namespace stepcast
