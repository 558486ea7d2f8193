#include "sim/probe/sampling.hpp"

#include <gtest/gtest.h>

#include "sim/probe/hardware_error.hpp"

namespace stepcast {
namespace {

TEST(Sampling, TakesTheMedianAndTheInterquartileRange) {
  // Sorted 1 2 3 4 10: the quartiles are 2 and 4, so the spread is (4 - 2) / 3.
  const Sample sample = summary_of({Seconds{10}, Seconds{1}, Seconds{3}, Seconds{2}, Seconds{4}});
  EXPECT_DOUBLE_EQ(sample.time.value, 3);
  EXPECT_DOUBLE_EQ(sample.spread, 2.0 / 3);
  EXPECT_EQ(sample.samples, 5U);
}

TEST(Sampling, RepeatsShortKernelsUntilABatchIsFilled) {
  // 10 us each in batches of 1 ms: 100 times; after 3 warm-ups and one trial.
  std::vector<std::uint32_t> repeats;
  const Sample sample = measure(
      [&repeats](std::uint32_t count) {
        repeats.push_back(count);
        return Seconds{1e-5} * count;
      },
      {.warm_ups = 3, .batches = 5, .batch_time = Seconds{1e-3}});
  EXPECT_EQ(repeats, (std::vector<std::uint32_t>{1, 1, 1, 1, 100, 100, 100, 100, 100}));
  EXPECT_NEAR(sample.time.value, 1e-5, 1e-12);
}

TEST(Sampling, SpendsNoMoreThanItsBudgetButThreeBatches) {
  const auto slow = [](std::uint32_t count) { return Seconds{0.1} * count; };
  EXPECT_EQ(measure(slow, {.batches = 15, .budget = Seconds{0.5}}).samples, 5U);
  EXPECT_EQ(measure(slow, {.batches = 15, .budget = Seconds{0.01}}).samples, 3U);
}

TEST(Sampling, IgnoresWhatTheWarmUpTook) {
  int call = 0;
  const Sample sample =
      measure([&call](std::uint32_t count) { return Seconds{++call <= 3 ? 9.0 : 1e-3} * count; },
              {.warm_ups = 3, .batches = 5});
  EXPECT_NEAR(sample.time.value, 1e-3, 1e-12);
}

TEST(Sampling, RefusesAClockThatStandsStill) {
  EXPECT_THROW(measure([](std::uint32_t) { return Seconds{0}; }, quick_effort()), HardwareError);
}

}  // namespace
}  // namespace stepcast
