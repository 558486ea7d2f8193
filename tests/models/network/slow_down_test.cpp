#include "models/network/slow_down.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace stepcast {
namespace {

TEST(SlowDown, WithoutLawsEverybodyComputesAsUsual) {
  EXPECT_EQ(SlowDown{}.factor(3, 7), 1);
  EXPECT_EQ(SlowDown{}.kind_of(3), SlowDown{}.kind_of(4));
}

TEST(SlowDown, ADrawBelongsToItsSeedRankAndIteration) {
  const SlowDown slow{.laws = {SlowDown::LogNormal{0.2}}, .seed = 5};
  const SlowDown same = slow;
  EXPECT_EQ(slow.factor(2, 9), same.factor(2, 9));
  EXPECT_NE(slow.factor(2, 9), slow.factor(2, 10));
  EXPECT_NE(slow.factor(2, 9), slow.factor(3, 9));
  EXPECT_NE(slow.factor(2, 9), SlowDown({slow.laws, 6}).factor(2, 9));
  EXPECT_NE(slow.kind_of(2), slow.kind_of(3));
}

TEST(SlowDown, ABernoulliRankIsSlowAsOftenAsItsProbabilitySays) {
  const SlowDown slow{.laws = {SlowDown::Bernoulli{.factor = 6, .probability = 1.0 / 16}}};
  int slowed = 0;
  for (std::uint32_t i = 0; i < 16'000; ++i)
    slowed += slow.factor(i % 16, i / 16) == 6 ? 1 : 0;
  EXPECT_NEAR(slowed, 1000, 3.3 * std::sqrt(16'000.0 / 16 * 15 / 16));  // 3.3 sigma
}

TEST(SlowDown, TheMedianOfALogNormalFactorIsOne) {
  const SlowDown slow{.laws = {SlowDown::LogNormal{0.14}}};
  std::vector<double> factors;
  for (std::uint32_t i = 0; i < 9999; ++i)
    factors.push_back(slow.factor(0, i));
  std::ranges::sort(factors);
  EXPECT_NEAR(factors[4999], 1, 0.006);              // 3.3 sigma 1.2533 / sqrt(9999)
  EXPECT_NEAR(std::log(factors[8413]), 0.14, 0.01);  // one sigma above: 84.13 %
}

TEST(SlowDown, FactorsMultiply) {
  const SlowDown slow{.laws = {SlowDown::Fixed{3, 2}, SlowDown::Fixed{3, 1.5}}};
  EXPECT_EQ(slow.factor(3, 0), 3);
  EXPECT_EQ(slow.factor(2, 0), 1);
  EXPECT_EQ(slow.kind_of(1), slow.kind_of(2));
  EXPECT_NE(slow.kind_of(3), slow.kind_of(2));
}

TEST(SlowDown, RanksThatBeginARecordingAgainAreOfTheKindsOfThoseRecorded) {
  const SlowDown slow{.laws = {SlowDown::Recorded{.steps = {{1, 2, 1, 1}, {3, 1, 3, 1}}}}};
  EXPECT_EQ(slow.kind_of(0), slow.kind_of(4));
  EXPECT_EQ(slow.kind_of(0), slow.kind_of(2));  // as slow in all steps
  EXPECT_NE(slow.kind_of(0), slow.kind_of(1));
  EXPECT_NE(slow.kind_of(0), slow.kind_of(3));  // in one step alone
  for (std::uint32_t iteration = 0; iteration < 20; ++iteration)
    EXPECT_EQ(slow.factor(0, iteration), slow.factor(6, iteration));
}

}  // namespace
}  // namespace stepcast
