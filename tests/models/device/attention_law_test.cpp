#include "models/device/attention_law.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

// Without start-ups and softmax, on one tile's rows, a multiprocessor's rate is all there is.
AttentionLaw plain_law() {
  const AttentionPass pass{.peak = FlopsPerSecond{1e14}};
  return {.slots = 100, .rows = 128, .quantisation = 1, .forward = pass, .backward = pass};
}

AttentionShape square(double heads, double tokens, bool causal) {
  return {.heads = heads,
          .kv_heads = heads,
          .queries = tokens,
          .keys = tokens,
          .score_size = 128,
          .value_size = 128,
          .causal = causal};
}

// 100 heads of 1,024 tokens are 800 tiles on 100 multiprocessors: 8 whole waves.
TEST(AttentionLaw, FullWavesReachThePeak) {
  const AttentionShape shape = square(100, 1024, false);
  EXPECT_NEAR(attention_forward_time(plain_law(), shape).value,
              4.0 * 100 * 1024 * 1024 * 128 / 1e14, 1e-12);
}

// Five products for two: scores and gradients of probabilities, values, queries and keys.
TEST(AttentionLaw, BackwardHasFiveProductsForTwo) {
  const AttentionShape shape = square(100, 1024, false);
  EXPECT_NEAR(
      attention_backward_time(plain_law(), shape) / attention_forward_time(plain_law(), shape), 2.5,
      1e-12);
}

// 101 heads of one tile on 100 multiprocessors: the last wave has one tile.
TEST(AttentionLaw, ATileMoreTakesAWaveMore) {
  const double one = attention_forward_time(plain_law(), square(100, 128, false)).value;
  EXPECT_NEAR(attention_forward_time(plain_law(), square(101, 128, false)).value, 2 * one, 1e-15);
  AttentionLaw smooth = plain_law();
  smooth.quantisation = 0;
  EXPECT_NEAR(attention_forward_time(smooth, square(101, 128, false)).value, 1.01 * one, 1e-15);
}

// A tile of 128 rows sees in the mean (keys + 128) / 2 keys: of 8 tiles of a head 1 to 8 tiles.
TEST(AttentionLaw, CausalTilesSeeTheKeysBeforeThemAndTheirOwn) {
  const double all = attention_forward_time(plain_law(), square(100, 1024, false)).value;
  EXPECT_NEAR(attention_forward_time(plain_law(), square(100, 1024, true)).value, all * 36 / 64,
              1e-15);
}

// One causal head has 8 tiles for 100 multiprocessors: the last rows decide.
TEST(AttentionLaw, TheLongestTileDecidesWhereFewRun) {
  const AttentionShape few = square(1, 1024, true);
  EXPECT_NEAR(attention_forward_time(plain_law(), few).value, 4.0 * 128 * 1024 * 128 / 1e12, 1e-15);
}

// A softmax that takes as long as 64 numbers: heads of 64 reach half, of 128 two thirds.
TEST(AttentionLaw, SmallHeadsReachLessOfThePeak) {
  AttentionLaw law = plain_law();
  law.forward.softmax = 64;
  AttentionShape shape = square(100, 1024, false);
  const auto share = [&] {
    return attention_flops(shape).value / attention_forward_time(law, shape).value / 1e14;
  };
  EXPECT_NEAR(share(), 2.0 / 3, 1e-12);
  shape.score_size = shape.value_size = 64;
  EXPECT_NEAR(share(), 0.5, 1e-12);
}

// The kernels are compiled for heads of 96 numbers, not of 80.
TEST(AttentionLaw, HeadsArePaddedToCompiledSizes) {
  AttentionShape shape = square(100, 1024, false);
  shape.score_size = shape.value_size = 80;
  const Seconds padded = attention_forward_time(plain_law(), shape);
  shape.score_size = shape.value_size = 96;
  EXPECT_EQ(attention_forward_time(plain_law(), shape), padded);
}

// Queries and outputs of 100 heads, keys and values of 25, 2 bytes each, at 1e9 bytes/s.
TEST(AttentionLaw, OperandsComeFromMemoryOnce) {
  AttentionLaw law = plain_law();
  law.bandwidth = BytesPerSecond{1e9};
  AttentionShape shape = square(100, 128, true);
  shape.kv_heads = 25;
  EXPECT_NEAR(attention_forward_time(law, shape).value, 2.0 * 2 * 125 * 128 * 128 / 1e9, 1e-12);
}

TEST(AttentionLaw, StartUpsAddToSmallOnes) {
  AttentionLaw law = plain_law();
  const AttentionShape shape = square(100, 128, false);
  const double bare = attention_forward_time(law, shape).value;
  law.forward.launch = Seconds{5e-6};
  law.forward.block = Seconds{2e-6};
  EXPECT_NEAR(attention_forward_time(law, shape).value, bare + 7e-6, 1e-15);
}

}  // namespace
}  // namespace stepcast
