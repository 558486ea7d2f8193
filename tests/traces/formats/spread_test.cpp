#include "traces/formats/spread.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

TEST(Spread, TellsMeanMedianDeviationAndRange) {
  const Spread spread = spread_of({Seconds{7}, Seconds{1}, Seconds{2}, Seconds{2}});
  EXPECT_EQ(spread.count, 4U);
  EXPECT_EQ(spread.mean, Seconds{3});
  EXPECT_EQ(spread.median, Seconds{2});
  // Squares of 4, 2, 1, 1 sum to 22; over 3 they are 7.333, whose root is 2.708.
  EXPECT_NEAR(spread.deviation.value, 2.70801, 1e-5);
  EXPECT_EQ(spread.smallest, Seconds{1});
  EXPECT_EQ(spread.largest, Seconds{7});
}

TEST(Spread, OfOneTimeIsZeroAndNotShown) {
  const Spread spread = spread_of({Seconds{0.5}});
  EXPECT_EQ(spread.deviation, Seconds{});
  EXPECT_EQ(describe(spread), "500 ms");
}

TEST(Spread, OfTimesThatDifferByRoundingIsZero) {
  EXPECT_EQ(spread_of({Seconds{0.1 + 0.2}, Seconds{0.3}}).deviation, Seconds{});
}

TEST(Spread, OfNothingIsZero) {
  EXPECT_EQ(spread_of({}).count, 0U);
}

TEST(Spread, IsDescribedInOneLine) {
  EXPECT_EQ(describe(spread_of({Seconds{1}, Seconds{3}})),
            "2 s (standard deviation 1.414 s, median 2 s, 1 s to 3 s)");
}

}  // namespace
}  // namespace stepcast
