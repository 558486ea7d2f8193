#include <gtest/gtest.h>

#include "models/schedule/model_parallel/order_walk.hpp"
#include "models/schedule/model_parallel/pipeline_order.hpp"
#include "tests/support/input_error.hpp"
#include "tests/support/pass_orders.hpp"

namespace stepcast {
namespace {

double makespan(std::uint32_t stages, std::uint32_t micro_batches, const PartTimes& part) {
  const PipelineOrder order = order_of("dualpipe", stages, micro_batches);
  check_order(order);
  return walk(order, std::vector<PartTimes>(stages, part)).makespan.value;
}

// m (F + B) and (p/2 - 1)(FB + B - 3W), B = I + W, FB = F + B where passes only share the device
// (DeepSeek-V3, table 2).
double formula(double p, double m, const PartTimes& part) {
  const double w = part.weight_gradient.value, b = part.input_gradient.value + w;
  const double pair = part.forward.value + b;
  return m * pair + (p / 2 - 1) * (pair + b - 3 * w);
}

TEST(DualPipe, TakesItsFormula) {
  for (const std::uint32_t p : {2U, 4U, 6U, 8U, 16U})
    for (const std::uint32_t m : {2 * p, 2 * p + 2, 5 * p})
      for (const double w : {1.0, 0.9, 0.5}) {
        const PartTimes part{Seconds{1}, Seconds{1}, Seconds{w}};
        const double expected = formula(p, m, part);
        EXPECT_NEAR(makespan(p, m, part), expected, 1e-12 * expected) << p << " " << m << " " << w;
      }
}

// The authors' program leaves the first pair of the two ranks in the middle apart, for less bubble:
// where I is longer than F the formula is not reached.
TEST(DualPipe, IsNotLongerThanItsFormula) {
  const PartTimes part{Seconds{1}, Seconds{1.3}, Seconds{0.9}};
  EXPECT_NEAR(makespan(2, 4, part), formula(2, 4, part), 1e-12);
  for (const std::uint32_t p : {4U, 8U}) {
    EXPECT_LT(makespan(p, 3 * p, part), formula(p, 3 * p, part));
    EXPECT_GT(makespan(p, 3 * p, part), 3 * p * 3.2);
  }
}

TEST(DualPipe, HoldsOneMicroBatchMoreThanStages) {
  for (const std::uint32_t p : {2U, 4U, 8U})
    for (std::uint32_t stage = 0; stage < p; ++stage)
      EXPECT_EQ(most_held(order_of("dualpipe", p, 3 * p), stage, {1, 1}), p + 1);
}

TEST(DualPipe, HasAPartOnTwoStages) {
  const PipelineOrder order = order_of("dualpipe", 4, 8);
  EXPECT_EQ(order.parts(), 4U);
  for (std::uint32_t stage = 0; stage < 4; ++stage)
    for (std::uint32_t chunk = 0; chunk < 2; ++chunk)
      EXPECT_EQ(stage_of(order, part_of(order, stage, chunk), chunk), stage);
  EXPECT_EQ(part_of(order, 0, 1), 3U);
}

TEST(DualPipe, RefusesOddStagesAndFewMicroBatches) {
  EXPECT_EQ(input_error_of([] { order_of("dualpipe", 3, 8); }),
            "dualpipe: pp: expected an even number of stages, found 3");
  for (const std::uint32_t m : {6U, 9U})
    EXPECT_EQ(input_error_of([&] { order_of("dualpipe", 4, m); }),
              "dualpipe: global_batch: expected an even number of micro-batches, two for each of 4 "
              "stages at least, found " +
                  std::to_string(m));
}

}  // namespace
}  // namespace stepcast
