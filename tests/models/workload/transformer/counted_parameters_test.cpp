#include <gtest/gtest.h>

#include "models/workload/transformer/block_times.hpp"
#include "models/workload/transformer/presets.hpp"
#include "models/workload/transformer/transformer_text.hpp"
#include "models/workload/transformer/transformer_workload.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

TrainingLaw usual_law() {
  return {.products = {{"bf16", {.peak = FlopsPerSecond{3e14}, .bandwidth = BytesPerSecond{1e12}}}},
          .flash_forward = FlopsPerSecond{1e14},
          .flash_backward = FlopsPerSecond{1e14},
          .elementwise = BytesPerSecond{1e12}};
}

// Llama-2 7B with 12,288 biases of queries, keys and values a block: 32 blocks have them.
TEST(CountedParameters, StandInPlaceOfWhatTheSizesGive) {
  Transformer shape = *find_transformer("llama-2-7b");
  const ParameterCounts by_sizes = parameter_counts(shape, 0);
  const std::uint64_t all = parameter_count(shape);
  shape.block_parameters = by_sizes.attention + by_sizes.mlp + 12'288;
  EXPECT_EQ(parameter_count(shape), all + 32U * 12'288);
  // Every rank of a tensor group holds them, as it holds the norms.
  EXPECT_EQ(parameter_counts(shape, 0).copied, by_sizes.copied + 12'288);
  shape.head_parameters = 0;
  EXPECT_EQ(parameter_count(shape), all + 32U * 12'288 - by_sizes.head);
}

TEST(CountedParameters, OfABlockMayBeFewerThanItsSizesGive) {
  Transformer shape = *find_transformer("llama-2-7b");
  shape.block_parameters = 5;
  const ParameterCounts counts = parameter_counts(shape, 0);
  EXPECT_EQ(counts.attention + counts.mlp, 5U);
  EXPECT_LE(counts.copied, 5U);
}

TEST(CountedParameters, AreWrittenInLine) {
  const Transformer shape =
      parse_transformer_shape("transformer:model=llama-2-7b,block_parameters=5000000000");
  EXPECT_EQ(shape.block_parameters, 5'000'000'000U);
  EXPECT_EQ(shape_text(shape, "block_parameters"), "5000000000");
  EXPECT_EQ(shape_text(shape, "head_parameters"), "");
  EXPECT_EQ(input_error_of(
                [] { parse_transformer_shape("transformer:model=llama-2-7b,head_parameters=-1"); }),
            "transformer: head_parameters: expected a whole number of parameters up to "
            "1000000000000000, found \"-1\"");
}

// All blocks are one set: 12 blocks have the parameters of one.
TEST(CountedParameters, OfSharedBlocksAreThoseOfOne) {
  Transformer shape = *find_transformer("bert-base");
  const ParameterCounts counts = parameter_counts(shape, 0);
  shape.shared_blocks = true;
  EXPECT_EQ(parameter_count(shape), counts.embedding + counts.attention + counts.mlp + counts.head);
}

// A block that attends to an encoder multiplies once more: for the law's 3e14 FLOP/s at least
// 2 s h (h + 2 h + h), and attention to as many tokens both ways.
TEST(CountedParameters, AttentionToAnEncoderTakesItsOwnTime) {
  Transformer shape = *find_transformer("llama-2-7b");
  const PassTimes alone = block_times(shape, usual_law(), {}, 0);
  shape.encoder_seq = shape.seq;
  const PassTimes both = block_times(shape, usual_law(), {}, 0);
  const double h = 4096, s = 4096;
  EXPECT_GT((both.forward - alone.forward).value, 8 * s * h * h / 3e14 + 4 * s * s * h / 1e14);
}

TEST(CountedParameters, AModelWithAnEncoderHasTheLayersOfBothAndRunsWhole) {
  Transformer encoder = *find_transformer("bert-base");
  encoder.precision = "bf16";
  Transformer decoder = encoder;
  decoder.encoder_seq = encoder.seq;
  const Workload workload =
      encoder_decoder_workload({encoder, usual_law(), {}}, {decoder, usual_law(), {}}, "any", 1);
  EXPECT_EQ(workload.layers.size(), 1U + 12 + 1 + 12 + 1);  // inputs, blocks and one head
  EXPECT_EQ(workload.layers.front().name, "encoder embedding");
  EXPECT_EQ(workload.layers.back().name, "decoder head");
  EXPECT_EQ(workload.transformer, nullptr);
}

// A block of Mamba-130M has no square of the sequence: twice the tokens take twice as long.
TEST(CountedParameters, AScanIsLinearInTheSequence) {
  Transformer shape{.layers = 24,
                    .hidden = 768,
                    .ffn = 1536,
                    .seq = 65536,
                    .vocab = 50280,
                    .state = 16,
                    .state_rank = 48};
  shape.block_parameters = 1;
  const double once = block_times(shape, usual_law(), {}, 0).forward.value;
  shape.seq *= 2;
  EXPECT_NEAR(block_times(shape, usual_law(), {}, 0).forward.value / once, 2, 0.05);
}

}  // namespace
}  // namespace stepcast
