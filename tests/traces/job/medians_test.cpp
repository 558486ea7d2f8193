#include "traces/job/medians.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

TEST(MediansTest, TheMiddleOfAnEvenNumberIsTheMeanOfTwo) {
  EXPECT_EQ(middle_of({5, 1, 3}), 3);
  EXPECT_EQ(middle_of({4, 1, 3, 9}), 3.5);
}

TEST(MediansTest, AHeavyValueIsTheWeightedMedian) {
  std::vector<std::pair<double, double>> values = {{9, 1}, {1, 1}, {5, 10}, {2, 1}};
  EXPECT_EQ(weighted_median_of(values), 5);
}

TEST(MediansTest, OutliersDoNotTurnTheSlope) {
  std::vector<std::pair<double, double>> points;
  for (int i = 0; i < 1000; ++i)
    points.emplace_back(i, 3 * i + (i % 10 == 0 ? 1e6 : 0));
  EXPECT_NEAR(median_slope_of(points), 3, 1e-9);
  EXPECT_EQ(median_slope_of({{1, 1}}), 0);
}

}  // namespace
}  // namespace stepcast
