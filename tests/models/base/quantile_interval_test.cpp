#include "models/base/quantile_interval.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace stepcast {
namespace {

// P(the median is above the largest of n) = 2^-n: five values leave 3.1 % on a side, six 1.6 %.
TEST(QuantileInterval, TheMedianNeedsSixValues) {
  EXPECT_FALSE(quantile_ranks(5, 0.5).low);
  EXPECT_FALSE(quantile_ranks(5, 0.5).high);
  EXPECT_EQ(quantile_ranks(6, 0.5).low, 0U);
  EXPECT_EQ(quantile_ranks(6, 0.5).high, 5U);
}

// .95^71 = 2.6 %, .95^72 = 2.5 % less a little.
TEST(QuantileInterval, TheNinetyFifthPercentileNeedsSeventyTwo) {
  ASSERT_GT(std::pow(0.95, 71), 0.025);
  ASSERT_LT(std::pow(0.95, 72), 0.025);
  EXPECT_FALSE(quantile_ranks(71, 0.95).high);
  EXPECT_EQ(quantile_ranks(72, 0.95).high, 71U);
}

// Tables of the sign test: of 20 values the 6th and the 15th hold the median with 95.9 %.
TEST(QuantileInterval, AgreesWithTheTableOfTheSignTest) {
  EXPECT_EQ(quantile_ranks(20, 0.5).low, 5U);
  EXPECT_EQ(quantile_ranks(20, 0.5).high, 14U);
}

TEST(QuantileInterval, HalfOfItIsGivenAsAShareOfTheValue) {
  const std::vector<double> values{1, 2, 3, 4, 5, 6};
  EXPECT_NEAR(half_width(values, 0.5).value(), 2.5 / 3.5, 1e-12);
  EXPECT_FALSE(half_width({1, 2, 3}, 0.5));
}

}  // namespace
}  // namespace stepcast
