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

TEST(StalledSteps, AreNoneUpToHalfAsLongAgain) {
  EXPECT_EQ(stalled({step(0.16), step(0.24), step(0.16), step(0.16)}), Flags(4));
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
  EXPECT_EQ(describe(pace),
            "2 of 4 steps stall (500 ms to 700 ms, 600 ms on average): more than 1.5 times as long "
            "as usual, with no more computed. The usual step, a mean of the other 2, takes 150 ms; "
            "the mean of all is 375 ms.");
  EXPECT_EQ(describe(pace_of(lengths, Flags(4))), "");
}

}  // namespace
}  // namespace stepcast
