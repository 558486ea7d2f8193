#include "models/schedule/model_parallel/pipeline_order.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/schedule/model_parallel/order_walk.hpp"
#include "models/schedule/model_parallel/partition.hpp"
#include "tests/support/pass_orders.hpp"

namespace stepcast {
namespace {

constexpr PartTimes kEven{Seconds{1}, Seconds{1}, Seconds{1}};  // F = B = W: R = 2

double makespan(const PipelineOrder& order, const PartTimes& part, double message = 0) {
  check_order(order);
  return walk(order, std::vector<PartTimes>(order.parts(), part), Seconds{message}).makespan.value;
}

PartTimes part_of(double forward, double backward) {
  return {Seconds{forward}, Seconds{backward / 2}, Seconds{backward / 2}};
}

// (m + p - 1)(F + R), of either order.
TEST(PipelineOrder, GpipeAndOneForwardOneBackwardTakeTheirFormula) {
  for (const std::uint32_t p : {1U, 2U, 4U, 7U, 16U})
    for (const std::uint32_t m : {1U, 3U, 16U, 40U}) {
      const double expected = (m + p - 1) * (1.25 + 2.5);
      EXPECT_NEAR(makespan(order_of("gpipe", p, m), part_of(1.25, 2.5)), expected,
                  1e-12 * expected);
      EXPECT_NEAR(makespan(order_of("1f1b", p, m), part_of(1.25, 2.5)), expected, 1e-12 * expected);
    }
}

// m (F + R) of a whole stage, and a bubble of (p - 1)(F + R) / v.
TEST(PipelineOrder, InterleavedTakesItsFormula) {
  for (const std::uint32_t p : {2U, 4U, 8U})
    for (const std::uint32_t v : {2U, 3U, 6U}) {
      const std::uint32_t m = 4 * p;
      const double whole = 3.75;
      const double expected = m * whole + (p - 1) * whole / v;
      EXPECT_NEAR(makespan(order_of("interleaved", p, m, {{"virtual_stages", std::to_string(v)}}),
                           part_of(1.25 / v, 2.5 / v)),
                  expected, 1e-12 * expected);
    }
}

TEST(PipelineOrder, InterleavedNeedsStagesThatDivideTheMicroBatches) {
  EXPECT_THROW(order_of("interleaved", 4, 6, {{"virtual_stages", "2"}}), InputError);
}

// m (F + B + W) + (p - 1)(F + B - W).
TEST(PipelineOrder, ZeroBubbleH1TakesItsFormula) {
  for (const std::uint32_t p : {2U, 4U, 8U})
    for (const std::uint32_t m : {8U, 16U, 31U}) {
      const double expected = m * 3 + (p - 1) * 1;
      EXPECT_NEAR(makespan(order_of("zb-h1", p, m), kEven), expected, 1e-12 * expected);
    }
}

// Nobody waits between its first and its last pass: F + B - 2 W = 0.
TEST(PipelineOrder, ZeroBubbleH2LeavesNoBubbleOnAnyStage) {
  for (const std::uint32_t p : {2U, 4U, 8U}) {
    const std::uint32_t m = 3 * p;
    const PipelineOrder order = order_of("zb-h2", p, m);
    const WalkedOrder walked = walk(order, std::vector<PartTimes>(p, kEven));
    for (const auto& spans : walked.ranks)
      EXPECT_NEAR((spans.back().end - spans.front().begin).value, 3.0 * m, 1e-9) << p;
  }
}

// From 2p - 1 micro-batches on nobody waits between its first and its last pass, F = B = W, and
// the last rank begins p - 1 forward passes after the first.
TEST(PipelineOrder, ZeroBubbleVLeavesNoBubbleInTheMemoryOfOneForwardOneBackward) {
  for (const std::uint32_t p : {1U, 2U, 3U, 4U, 8U})
    for (const std::uint32_t m : {2 * p - 1, 2 * p, 5 * p}) {
      const PipelineOrder order = order_of("zb-v", p, m);
      EXPECT_NEAR(makespan(order, kEven), 6.0 * m + p - 1, 1e-9) << p << " " << m;
      const WalkedOrder walked = walk(order, std::vector<PartTimes>(order.parts(), kEven));
      for (std::uint32_t stage = 0; stage < p; ++stage) {
        const auto& spans = walked.ranks[stage];
        EXPECT_NEAR((spans.back().end - spans.front().begin).value, 6.0 * m, 1e-9) << p;
        EXPECT_EQ(most_held(order, stage, {0.5, 0.5}), p);
      }
    }
}

TEST(PipelineOrder, ZeroBubbleVRunsWithAnyNumberOfMicroBatches) {
  for (const std::uint32_t p : {2U, 5U, 8U})
    for (std::uint32_t m = 1; m < 2 * p; ++m)
      EXPECT_GE(makespan(order_of("zb-v", p, m), kEven), 6.0 * m) << p << " " << m;
}

TEST(PipelineOrder, TheFirstAndTheLastPartOfAVAreOnOneRank) {
  const PipelineOrder order = order_of("zb-v", 4, 8);
  EXPECT_EQ(part_of(order, 0, 0), 0U);
  EXPECT_EQ(part_of(order, 0, 1), 7U);
  EXPECT_EQ(part_of(order, 3, 1), 4U);
}

// (m + p - 1)(F + R) + 2 (p - 1) x: messages come one after the other, nobody waits twice.
TEST(PipelineOrder, GpipePaysForMessagesOnceEachWay) {
  EXPECT_NEAR(makespan(order_of("gpipe", 4, 8), part_of(1, 2), 0.1), 11 * 3 + 6 * 0.1, 1e-9);
}

// A micro-batch is back after p (F + R) + 2 (p - 1) x, and p are under way: so the period grows to
// F + R + 2 (p - 1) x / p. Twice the warm-up hides the messages in every period.
TEST(PipelineOrder, BlockingMessagesStretchThePeriodOfOneForwardOneBackward) {
  const auto period = [](bool asynchronous) {
    const auto at = [&](std::uint32_t m) {
      return makespan(order_of("1f1b", 4, m, {{"warm_up", asynchronous ? "double" : "usual"}}),
                      part_of(1, 2), 0.1);
    };
    return (at(400) - at(200)) / 200;
  };
  EXPECT_NEAR(period(false), 3 + 2 * 3 * 0.1 / 4, 1e-9);
  EXPECT_NEAR(period(true), 3, 1e-9);
}

TEST(PipelineOrder, StagesHoldAsManyMicroBatchesAsPublished) {
  const std::uint32_t p = 4;
  const std::uint32_t m = 16;
  EXPECT_EQ(most_held(order_of("gpipe", p, m), 0, {1}), m);
  for (std::uint32_t i = 0; i < p; ++i)
    EXPECT_EQ(most_held(order_of("1f1b", p, m), i, {1}), p - i);
  EXPECT_EQ(most_held(order_of("zb-h1", p, m), 0, {1}), p);
  EXPECT_EQ(most_held(order_of("zb-h2", p, m), 0, {1}), 2 * p - 1);
  // A chunk is half a stage: p + (p - 1) / v of whole stages.
  EXPECT_DOUBLE_EQ(
      most_held(order_of("interleaved", p, m, {{"virtual_stages", "2"}}), 0, {0.5, 0.5}),
      p + (p - 1) / 2.0);
}

TEST(PipelineOrder, TextIsReadAsItIsWritten) {
  for (const PipelineOrder& order :
       {order_of("zb-h1", 3, 5), order_of("interleaved", 2, 4, {{"virtual_stages", "2"}}),
        order_of("gpipe", 2, 2)}) {
    const PipelineOrder read = parse_order(order_text(order));
    EXPECT_EQ(read.ranks, order.ranks);
    EXPECT_EQ(read.chunks, order.chunks);
  }
}

std::string error_of(const char* text) {
  try {
    const PipelineOrder order = parse_order(text);
    walk(order, std::vector<PartTimes>(order.parts(), kEven));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(PipelineOrder, FaultsAreNamed) {
  EXPECT_EQ(error_of("F0 X0\n"),
            "order: line 1: expected a pass such as F0, B0, I0, W0 or F0.1, found \"X0\"");
  EXPECT_EQ(error_of("F0 F0 B0\n"),
            "order: stage 0: expected one F and one B (or I and W) of micro-batch 0, found 2 and 1 "
            "(I: 1, W: 1)");
  // Found by a fuzzer: there was room made for a million million passes.
  EXPECT_EQ(error_of("F999999.999999\n"),
            "order: stage 0: expected one F and one B (or I and W) of 1000000 micro-batches in "
            "1000000 parts, found 1 passes");
  EXPECT_EQ(error_of("# nothing\n"), "order: expected a line of passes for each stage, found none");
}

TEST(PipelineOrder, ACycleIsNamed) {
  EXPECT_EQ(error_of("F0 B0 F1 B1\nF1 F0 B0 B1\n"),
            "order: a cycle: B0 of stage 0, which waits for F1 of stage 1, which waits for B0 of "
            "stage 0");
}

// It was said to wait for itself.
TEST(PipelineOrder, APassThatStandsBeforeWhatItNeedsIsNamedWithIt) {
  EXPECT_EQ(error_of("F0 F1 B0 B1\nB0 F0 F1 B1\n"),
            "order: a cycle: B0 of stage 1, which waits for F0 of stage 1, which stands behind it");
  EXPECT_EQ(error_of("F0 W0 I0\n"),
            "order: a cycle: W0 of stage 0, which waits for I0 of stage 0, which stands behind it");
  EXPECT_EQ(error_of("F0.1 F0.0 B0.1 B0.0\n"),
            "order: a cycle: F0.1 of stage 0, which waits for F0.0 of stage 0, which stands behind "
            "it");
}

// An embedding, 126 blocks and a head on 128 parts, as Llama 3 405B on 16 stages of 8 parts.
TEST(Partition, EmbeddingAndHeadMayHavePartsOfTheirOwn) {
  std::vector<bool> counts(128, true);
  counts.front() = counts.back() = false;
  PartBounds each(129);
  std::iota(each.begin(), each.end(), std::size_t{0});
  EXPECT_EQ(equal_parts(counts, 128), each);
  EXPECT_THROW(equal_parts(counts, 129), InputError);
  const std::vector<bool> four{false, true, true, true, true, false};
  EXPECT_EQ(listed_parts(four, 4, "0,2,2,0"), (PartBounds{0, 1, 3, 5, 6}));
  EXPECT_EQ(listed_parts(four, 2, "0,4"), (PartBounds{0, 1, 6}));
  EXPECT_THROW(listed_parts(four, 3, "2,0,2"), InputError);
}

// With as many micro-batches as stages and R = 2 F the best first stage is half as long again as
// the others: (2p - 1 + 1/q) p / (p + 1/q) mean stages, against 2p - 1.
TEST(Partition, UnevenStagesGainWhatTheyArePublishedToGain) {
  const auto best = [](std::uint32_t p, double first, std::uint32_t m) {
    const double other = p / (p - 1 + first);
    std::vector<PartTimes> parts(p, part_of(other / 3, other * 2 / 3));
    parts[0] = part_of(first * other / 3, first * other * 2 / 3);
    return walk(order_of("1f1b", p, m), parts).makespan.value;
  };
  EXPECT_NEAR(best(2, 1.5, 2), 2.8, 1e-9);
  EXPECT_NEAR(best(4, 1.5, 4), 60.0 / 9, 1e-9);
  EXPECT_NEAR(best(8, 1.5, 8), 248.0 / 17, 1e-9);
}

// 24 units on 2 stages, 2 micro-batches: 3 : 2 is 14.4 : 9.6 units; the nearest whole ones.
TEST(Partition, TheBestPartsAreUnevenWhereTheStepGainsByIt) {
  const std::vector<PartTimes> units(25, part_of(2.0 / 75, 4.0 / 75));
  const PipelineOrder order = order_of("1f1b", 2, 2);
  const PartBounds best = best_parts(order, units, {});
  EXPECT_EQ(best, (PartBounds{0, 15, 25}));
  EXPECT_NEAR(walk(order, sums_of(units, best)).makespan.value, 2.8, 1e-9);
}

// Of stages that take 1 in the mean, instead of m + p - 1. Moves between neighbours alone ended at
// equal parts.
TEST(Partition, TheBestPartsOfFewMicroBatchesAreThoseKnown) {
  const auto best = [](std::uint32_t p, std::uint32_t m, std::uint32_t count) {
    const std::vector<PartTimes> units(count, part_of(p / (3.0 * count), 2.0 * p / (3.0 * count)));
    const PipelineOrder order = order_of("1f1b", p, m);
    return walk(order, sums_of(units, best_parts(order, units, {}))).makespan.value;
  };
  EXPECT_NEAR(best(4, 3, 40), 5.6, 1e-9);  // 1.2 : 1.2 : .8 : .8
  EXPECT_NEAR(best(4, 4, 36), 60.0 / 9, 1e-9);
  EXPECT_NEAR(best(8, 8, 85), 248.0 / 17, 1e-9);  // 1.5 : 1 : .. : 1
}

TEST(Partition, EqualPartsAreBestWhereMicroBatchesAreMoreThanStages) {
  for (const std::uint32_t p : {2U, 4U, 8U})
    for (const std::uint32_t m : {p + 1, 2 * p, 4 * p}) {
      const std::vector<PartTimes> units(std::size_t{10} * p, part_of(1.0 / 30, 2.0 / 30));
      const PipelineOrder order = order_of("1f1b", p, m);
      const double step = walk(order, sums_of(units, best_parts(order, units, {}))).makespan.value;
      EXPECT_NEAR(step, m + p - 1, 1e-9) << p << " stages, " << m << " micro-batches";
    }
}

// The same where the first stage has room for 13 units, for 9, and where nothing fits.
TEST(Partition, TheBestPartsKeepToALimit) {
  const std::vector<PartTimes> units(25, part_of(2.0 / 75, 4.0 / 75));
  const PipelineOrder order = order_of("1f1b", 2, 2);
  const auto within = [&](double room) {
    return best_parts(order, units, {}, [&](const PartBounds& bounds) {
      return std::max(0.0, static_cast<double>(bounds[1]) - room);
    });
  };
  EXPECT_EQ(within(13), (PartBounds{0, 13, 25}));
  EXPECT_EQ(within(9), (PartBounds{0, 9, 25}));
  EXPECT_EQ(within(-1), (PartBounds{0, 1, 25}));
}

TEST(Partition, TheLightestPartsAreFoundExactly) {
  const std::vector<Seconds> weights{Seconds{5}, Seconds{1}, Seconds{1},
                                     Seconds{1}, Seconds{2}, Seconds{4}};
  EXPECT_EQ(lightest_parts(weights, 3), (PartBounds{0, 1, 5, 6}));
  EXPECT_THROW(lightest_parts(weights, 7), InputError);
}

// The stage at half the speed gets half of the layers that the others get.
TEST(Partition, ASlowStageGetsFewerLayers) {
  const std::vector<double> slowness{2, 1, 1, 1};
  const std::vector<PartTimes> units(14, part_of(1, 2));
  const std::vector<Seconds> weights(14, Seconds{3});
  EXPECT_EQ(lightest_parts(weights, 4, slowness), (PartBounds{0, 2, 6, 10, 14}));
  const PipelineOrder order = order_of("1f1b", 4, 32);
  EXPECT_EQ(best_parts(order, units, {}, {}, {}, slowness), (PartBounds{0, 2, 6, 10, 14}));
}

TEST(Partition, EqualPartsCountBlocksAndElseEverything) {
  // embedding, 4 blocks, head
  const std::vector<bool> counts{false, true, true, true, true, false};
  EXPECT_EQ(equal_parts(counts, 2), (PartBounds{0, 3, 6}));
  EXPECT_EQ(equal_parts(counts, 3), (PartBounds{0, 2, 4, 6}));
  EXPECT_EQ(listed_parts(counts, 2, "1,3"), (PartBounds{0, 2, 6}));
  EXPECT_THROW(listed_parts(counts, 2, "1,2"), InputError);
}

}  // namespace
}  // namespace stepcast
