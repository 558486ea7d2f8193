#include "models/workload/transformer/measured_parts.hpp"

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

constexpr std::uint32_t kSeq = 2048;

MeasuredPart row_of(std::uint32_t tensor, std::uint32_t micro_batch, bool with_messages = false) {
  return {.micro_batch = micro_batch,
          .seq = kSeq,
          .tensor = tensor,
          .with_messages = with_messages,
          .forward = Seconds{0.004},
          .backward = Seconds{0.009}};
}

std::string nearest(const MeasuredParts& measured, const TransformerShard& shard) {
  const MeasuredPart* row = nearest_row(measured, ModelPart::Block, shard, kSeq, Recompute::None);
  return row ? describe(*row) : "none";
}

TEST(MeasuredParts, TensorParallelismCountsBeforeTheMicroBatch) {
  const MeasuredParts measured{.rows = {row_of(1, 4), row_of(4, 1), row_of(4, 8)}};
  EXPECT_EQ(nearest(measured, {.micro_batch = 4, .tensor = 8}),
            "tp 4, micro-batch 8 of 2048 tokens");
  EXPECT_EQ(nearest(measured, {.micro_batch = 2, .tensor = 4}),
            "tp 4, micro-batch 1 of 2048 tokens");
  EXPECT_EQ(nearest(measured, {.micro_batch = 1, .tensor = 1}),
            "tp 1, micro-batch 4 of 2048 tokens");
}

TEST(MeasuredParts, TimesWithMessagesStandForTheirOwnGroupsAlone) {
  const MeasuredParts measured{.rows = {row_of(4, 1, true)}};
  EXPECT_EQ(nearest(measured, {.micro_batch = 8, .tensor = 4}),
            "tp 4, micro-batch 1 of 2048 tokens");
  EXPECT_EQ(nearest(measured, {.tensor = 2}), "none");
  EXPECT_EQ(nearest(measured, {.tensor = 4, .context = 2}), "none");
  EXPECT_EQ(input_error_of([&] {
              required_row(measured, ModelPart::Block, {.tensor = 2}, kSeq, Recompute::None);
            }),
            "blocks: expected a layout whose block was measured with its messages "
            "(tp=4,cp=1,ep=1), found tp=2,cp=1,ep=1");
  EXPECT_EQ(required_row(measured, ModelPart::Head, {.tensor = 2}, kSeq, Recompute::None), nullptr);
}

// The law says 2 + 3 + 1 ms for what was measured at 4 + 9 ms, and twice that for what is wanted.
TEST(MeasuredParts, TheLawScalesWhatWasMeasured) {
  const PassTimes of_row{
      .forward = Seconds{2e-3}, .input_gradient = Seconds{3e-3}, .weight_gradient = Seconds{1e-3}};
  PassTimes wanted = of_row;
  const PassTimes same = scaled(row_of(1, 1), wanted, of_row);
  EXPECT_DOUBLE_EQ(same.forward.value, 4e-3);
  EXPECT_DOUBLE_EQ(same.input_gradient.value, 6.75e-3);
  EXPECT_DOUBLE_EQ(same.weight_gradient.value, 2.25e-3);
  wanted += of_row;
  const PassTimes twice = scaled(row_of(1, 1), wanted, of_row);
  EXPECT_DOUBLE_EQ(twice.forward.value, 8e-3);
  EXPECT_DOUBLE_EQ((twice.input_gradient + twice.weight_gradient).value, 18e-3);
}

TEST(MeasuredParts, HalvesOfABackwardPassAreScaledEachByItsOwnLaw) {
  MeasuredPart row = row_of(1, 1);
  row.weight_gradient = Seconds{4e-3};
  const PassTimes of_row{
      .forward = Seconds{1e-3}, .input_gradient = Seconds{1e-3}, .weight_gradient = Seconds{1e-3}};
  const PassTimes wanted{
      .forward = Seconds{1e-3}, .input_gradient = Seconds{2e-3}, .weight_gradient = Seconds{3e-3}};
  const PassTimes times = scaled(row, wanted, of_row);
  EXPECT_DOUBLE_EQ(times.input_gradient.value, 10e-3);
  EXPECT_DOUBLE_EQ(times.weight_gradient.value, 12e-3);
}

TEST(MeasuredParts, RecomputationIsOfTheBackwardPass) {
  const PassTimes pass{.forward = Seconds{3}, .input_gradient = Seconds{4}, .scores = Seconds{1}};
  EXPECT_DOUBLE_EQ(with_recomputation(pass, Recompute::Full).input_gradient.value, 7);
  EXPECT_DOUBLE_EQ(with_recomputation(pass, Recompute::Selective).input_gradient.value, 5);
}

}  // namespace
}  // namespace stepcast
