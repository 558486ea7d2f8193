#include "models/workload/transformer/transformer.hpp"

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/workload/transformer/block_times.hpp"
#include "models/workload/transformer/presets.hpp"
#include "models/workload/transformer/transformer_text.hpp"

namespace stepcast {
namespace {

// Authors round to three digits, some of them down.
TEST(Transformer, PresetsHaveThePublishedNumberOfParameters) {
  for (const TransformerPreset& preset : transformer_presets()) {
    check_transformer(preset.shape);
    const double count = static_cast<double>(parameter_count(preset.shape)) / 1e9;
    EXPECT_NEAR(count / preset.published, 1, 0.03) << preset.shape.model;
  }
}

// 6,738,415,616 of Llama-2-7B and 8,030,261,248 of Llama-3-8B, as their checkpoints hold.
TEST(Transformer, ParametersAreExact) {
  EXPECT_EQ(parameter_count(*find_transformer("llama-2-7b")), 6738415616U);
  EXPECT_EQ(parameter_count(*find_transformer("llama-2-13b")), 13015864320U);
  EXPECT_EQ(parameter_count(*find_transformer("llama-2-70b")), 68976648192U);
  EXPECT_EQ(parameter_count(*find_transformer("llama-3-8b")), 8030261248U);
  EXPECT_EQ(parameter_count(*find_transformer("mixtral-8x7b")), 46702792704U);
}

// 72 s L h^2 (1 + s / 6h + V / 12 L h) of a sequence.
TEST(Transformer, ModelFlopsFollowThePublishedFormula) {
  const Transformer shape = *find_transformer("gpt-22b");
  const double h = shape.hidden;
  const double s = shape.seq;
  const double blocks = shape.layers;
  const double expected =
      72 * s * blocks * h * h * (1 + s / (6 * h) + shape.vocab / (12 * blocks * h));
  EXPECT_NEAR(model_flops(shape), expected, 1e-12 * expected);
}

// sbh (10 + 24 / t + 5 a s / (h t)), and with sequence parallelism sbh (34 + 5 a s / h) / t
// (Korthikanti et al., 2022); selective recomputation leaves out the scores, full all but 2 sbh.
TEST(Transformer, BlocksHoldThePublishedActivations) {
  const Transformer shape = *find_transformer("gpt-22b");
  const double sbh = 2048.0 * 4 * 6144;
  const double scores = 5.0 * 64 * 2048 / 6144;
  TransformerShard shard{.micro_batch = 4, .tensor = 8};
  EXPECT_NEAR(held_by_block(shape, shard, Recompute::None).value,
              sbh * (10 + 24 / 8.0 + scores / 8), 1);
  shard.sequence_parallel = true;
  EXPECT_NEAR(held_by_block(shape, shard, Recompute::None).value, sbh * (34 + scores) / 8, 1);
  EXPECT_NEAR(held_by_block(shape, shard, Recompute::Selective).value, sbh * 34 / 8, 1);
  shard.sequence_parallel = false;
  EXPECT_NEAR(held_by_block(shape, shard, Recompute::Full).value, 2 * sbh, 1);
}

// Norms and their like are copied, everything else is divided.
TEST(Transformer, RanksOfATensorGroupHoldTheirPart) {
  const Transformer shape = *find_transformer("gpt-22b");
  const double h = 6144;
  const RankParameters whole = block_parameters(shape, {}, 0);
  const RankParameters part = block_parameters(shape, {.tensor = 8}, 0);
  EXPECT_DOUBLE_EQ(whole.dense, 12 * h * h + 13 * h);
  EXPECT_DOUBLE_EQ(part.dense, (12 * h * h + 9 * h) / 8 + 4 * h);
}

TEST(TransformerText, KeysSetTheShape) {
  const TransformerRequest request = parse_transformer(
      "transformer:layers=48,hidden=8192,heads=64,seq=2048,vocab=51200,gated=yes,device=a100");
  EXPECT_EQ(request.shape.layers, 48U);
  EXPECT_EQ(request.shape.ffn, 32768U);
  EXPECT_EQ(request.shape.kv_heads, 64U);
  EXPECT_FALSE(request.shape.tied);
  EXPECT_EQ(request.device, "a100");
}

TEST(TransformerText, APresetMayBeChanged) {
  const TransformerRequest request =
      parse_transformer("transformer:model=llama-2-7b,seq=2048,device=a100,batch=2");
  EXPECT_EQ(request.shape.hidden, 4096U);
  EXPECT_EQ(request.shape.seq, 2048U);
  EXPECT_EQ(request.batch, 2U);
}

std::string error_of(const char* text) {
  try {
    parse_transformer(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(TransformerText, FaultsNameTheKey) {
  EXPECT_EQ(error_of("transformer:model=llama-2-7b"),
            "transformer: device: missing, for example device=a100");
  EXPECT_EQ(error_of("transformer:layers=2,hidden=100,heads=3,seq=8,vocab=9,device=a100"),
            "transformer: heads: expected a divisor of hidden (100), found 3");
  EXPECT_EQ(error_of("transformer:layers"), "transformer: expected key=value, found \"layers\"");
  EXPECT_NE(error_of("transformer:layer=2").find("did you mean \"layers\"?"), std::string::npos);
  EXPECT_NE(error_of("transformer:model=llama-7b").find("expected one of gpt3-175b"),
            std::string::npos);
}

}  // namespace
}  // namespace stepcast
