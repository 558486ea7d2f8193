#include "traces/stalled_steps.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

using Flags = std::vector<bool>;

Flags stalled(const std::vector<StepPace>& steps) {
  return find_stalled(steps);
}

StepPace step(double length, double computing = 0.1) {
  return {Seconds{length}, Seconds{computing}};
}

TEST(StalledSteps, AreLongWithoutComputingMore) {
  EXPECT_EQ(stalled({step(0.16), step(0.5), step(0.17), step(0.16), step(0.8)}),
            (Flags{false, true, false, false, true}));
}

// 0.5 s of which 0.44 are computed: 0.34 of the 0.34 s that it takes longer.
TEST(StalledSteps, AreNoneThatComputeLonger) {
  EXPECT_EQ(stalled({step(0.16), step(0.5, 0.44), step(0.17), step(0.16)}), Flags(4));
}

// 0.23 s are less than 1.5 times 0.16 s. Equal steps leave a gap below it; scattered ones do not,
// as 0.03 s are less than three times their range of 0.04 s.
TEST(StalledSteps, ArePartedFromUsualOnesByAGap) {
  EXPECT_EQ(stalled({step(0.16), step(0.23), step(0.16), step(0.16)}),
            (Flags{false, true, false, false}));
  EXPECT_EQ(stalled({step(0.16), step(0.23), step(0.2), step(0.18)}), Flags(4));
}

// Seven of fourteen steps wait 7 ms for their data, and one of ten 5 ms.
TEST(StalledSteps, AreFoundWhereHalfOfTheStepsStall) {
  std::vector<StepPace> steps;
  Flags flags;
  for (int i = 0; i < 14; ++i) {
    steps.push_back(step(i % 2 == 0 ? 0.0163 : 0.0233, 0.0153));
    flags.push_back(i % 2 != 0);
  }
  EXPECT_EQ(stalled(steps), flags);
  std::vector<StepPace> one(10, step(0.0163, 0.0153));
  one[5] = step(0.0213, 0.0153);
  flags.assign(10, false);
  flags[5] = true;
  EXPECT_EQ(stalled(one), flags);
}

TEST(StalledSteps, AreNoneByTheJitterOfEqualSteps) {
  EXPECT_EQ(stalled({step(0.16), step(0.17), step(0.16), step(0.16)}), Flags(4));
}

// Most may stall, but two and a quarter of the steps must be usual ones.
TEST(StalledSteps, NeedUsualOnesBesideThem) {
  EXPECT_EQ(stalled({step(0.1), step(0.5), step(0.1), step(0.5), step(0.5)}),
            (Flags{false, true, false, true, true}));
  EXPECT_EQ(stalled({step(0.1), step(0.5), step(0.5)}), Flags(3));
  EXPECT_EQ(stalled({step(0.1)}), Flags(1));
  EXPECT_EQ(stalled({}), Flags());
}

// (0.1 + 0.2) / 2, (0.5 + 0.7) / 2 and 1.5 / 4.
TEST(StalledSteps, HaveAMeanOfTheirOwn) {
  const std::vector<Seconds> lengths{Seconds{0.1}, Seconds{0.5}, Seconds{0.2}, Seconds{0.7}};
  const RecordedPace pace = pace_of(lengths, {false, true, false, true});
  EXPECT_NEAR(pace.usual.value, 0.15, 1e-12);
  EXPECT_NEAR(pace.stalled.value, 0.6, 1e-12);
  EXPECT_NEAR(pace.all.value, 0.375, 1e-12);
  EXPECT_EQ(pace.shortest, Seconds{0.5});
  EXPECT_EQ(pace.longest, Seconds{0.7});
  EXPECT_EQ(
      describe(pace),
      "2 of 4 steps stall (500 ms to 700 ms, 600 ms on average): much longer than usual, with "
      "no more computed. The usual step, a mean of the other 2, takes 150 ms; the mean of "
      "all is 375 ms.");
  EXPECT_EQ(describe(pace_of(lengths, Flags(4))), "");
}

}  // namespace
}  // namespace stepcast
