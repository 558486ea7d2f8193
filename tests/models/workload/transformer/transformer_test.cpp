#include "models/workload/transformer/transformer.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/workload/transformer/block_times.hpp"
#include "models/workload/transformer/presets.hpp"
#include "models/workload/transformer/transformer_text.hpp"
#include "models/workload/transformer/transformer_workload.hpp"

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

// 96 (12 h^2 + 13 h) of blocks, 50,257 words, 2,048 positions, a last norm.
TEST(Transformer, Gpt3CountsItsPositions) {
  constexpr std::uint64_t h = 12288;
  EXPECT_EQ(parameter_count(*find_transformer("gpt3-175b")),
            96 * (12 * h * h + 13 * h) + (50257 + 2048) * h + 2 * h);
}

// 109,482,240 and 335,141,888 of BertModel's checkpoints: token types, 512 positions and the pooler
// are in it, the head that predicts words is the embedding.
TEST(Transformer, BertCountsTokenTypesAndPooler) {
  EXPECT_EQ(parameter_count(*find_transformer("bert-base")), 109482240U);
  EXPECT_EQ(parameter_count(*find_transformer("bert-large")), 335141888U);
}

// 304,326,632 and 632,045,800 of torchvision's vit_l_16 and vit_h_14.
TEST(Transformer, ImagesComeInPatchesAndLeaveAsClasses) {
  const Transformer large = *find_transformer("vit-l-16");
  const Transformer huge = *find_transformer("vit-h-14");
  EXPECT_EQ(large.seq, 197U);
  EXPECT_EQ(huge.seq, 257U);
  EXPECT_EQ(parameter_count(large), 304326632U);
  EXPECT_EQ(parameter_count(huge), 632045800U);
}

// The checkpoint's main model holds 671,026,419,200, of which 58 x 256 are biases of experts that
// no gradient trains; 37 B are said to be active.
TEST(Transformer, DeepSeekV3IsExact) {
  const Transformer shape = *find_transformer("deepseek-v3");
  EXPECT_EQ(parameter_count(shape), 671026419200U - 58 * 256);
  EXPECT_NEAR(static_cast<double>(active_parameter_count(shape)), 37e9, 0.02 * 37e9);
  const ParameterCounts dense = parameter_counts(shape, 2), experts = parameter_counts(shape, 3);
  EXPECT_EQ(dense.attention - shape.hidden, 187107328U);  // without its first norm
  EXPECT_EQ(dense.expert, 0U);
  EXPECT_EQ(experts.expert, 3U * 7168 * 2048);
}

// Every preset: what ranks hold of all parts is the model, where nothing is cut.
TEST(Transformer, ARankOfItsOwnHoldsTheModel) {
  for (const TransformerPreset& preset : transformer_presets()) {
    const Transformer& shape = preset.shape;
    double sum = embedding_parameters(shape, {}) + head_parameters(shape, {}) -
                 (shape.tied ? vocabulary_parameters(shape, {}) : 0);
    for (std::uint32_t layer = 0; layer < shape.layers; ++layer) {
      const RankParameters block = block_parameters(shape, {}, layer);
      sum += block.dense + block.expert;
    }
    EXPECT_DOUBLE_EQ(sum, static_cast<double>(parameter_count(shape))) << shape.model;
  }
}

// Products of a token: h (1536 + 576), 1536 x 128 x 192, 512 x 128 x 256, 128 x 128 x h; scores of
// 192 numbers, sums of 128.
TEST(Transformer, LatentAttentionMultipliesDownAndUp) {
  const Transformer shape = *find_transformer("deepseek-v3");
  const double h = 7168, s = 4096;
  const double products = h * (1536 + 576) + 1536.0 * 128 * 192 + 512.0 * 128 * 256 + 16384 * h;
  const BlockFlops flops = block_flops(shape, 0);
  EXPECT_DOUBLE_EQ(flops.scores, 2 * s * s * 128 * (192 + 128));
  EXPECT_DOUBLE_EQ(flops.forward, 2 * s * products + flops.scores + 6 * s * h * 18432);
}

// Half of the square is skipped where tokens see those before them alone.
TEST(Transformer, BothWaysAttentionTakesTwiceAsLong) {
  Transformer shape = *find_transformer("llama-2-7b");
  const TrainingLaw law{
      .products = {{"bf16", {.peak = FlopsPerSecond{3e14}, .bandwidth = BytesPerSecond{1e12}}}},
      .flash_forward = FlopsPerSecond{1e14},
      .flash_backward = FlopsPerSecond{1e14},
      .elementwise = BytesPerSecond{1e12}};
  const PassTimes one_way = block_times(shape, law, {}, 0);
  shape.causal = false;
  const double square = 2.0 * 4096 * 4096 * 4096;
  EXPECT_NEAR((block_times(shape, law, {}, 0).forward - one_way.forward).value, square / 1e14,
              1e-9);
}

// A law says which shapes it was fitted to, and a forecast beyond them says so.
TEST(Transformer, ShapesBeyondTheLawsTablesAreSaid) {
  TransformerModel model{.shape = *find_transformer("llama-2-7b"),
                         .law = {.products = {{"bf16", {.peak = FlopsPerSecond{3e14}}}},
                                 .flash_forward = FlopsPerSecond{1e14},
                                 .flash_backward = FlopsPerSecond{1e14},
                                 .elementwise = BytesPerSecond{1e12},
                                 .measured = {{"seq", {512, 16384}}, {"head_size", {64, 256}}}}};
  model.law.products["bf16"].bandwidth = BytesPerSecond{1e12};
  EXPECT_TRUE(transformer_workload(model, "mine", 1).provenance.caveats.empty());
  model.shape.seq = 32768;
  EXPECT_EQ(transformer_workload(model, "mine", 1).provenance.caveats,
            std::vector<std::string>{"Sequences of 32768 lie outside what the device's law was "
                                     "fitted to (512 to 16384): extrapolated."});
}

// Inputs are cast forward and gradients of outputs backward, once for two products.
TEST(Transformer, Fp8CastsWhatItMultiplies) {
  Transformer shape = *find_transformer("llama-2-7b");
  shape.precision = "fp8";
  TrainingLaw law{
      .products = {{"fp8", {.peak = FlopsPerSecond{3e14}, .bandwidth = BytesPerSecond{1e12}}}},
      .flash_forward = FlopsPerSecond{1e14},
      .flash_backward = FlopsPerSecond{1e14},
      .elementwise = BytesPerSecond{1e12}};
  const PassTimes without = block_times(shape, law, {}, 0);
  law.cast = BytesPerSecond{5e12};
  const PassTimes with = block_times(shape, law, {}, 0);
  // Inputs: of queries, keys and values, of the projection, up and gate together, down.
  EXPECT_NEAR((with.forward - without.forward).value, 4096.0 * (3 * 4096 + 11008) / 1e12, 1e-9);
  EXPECT_NEAR((with.input_gradient - without.input_gradient).value,
              4096.0 * (3 * 4096 + 4096 + 2 * 11008 + 4096) / 1e12, 1e-9);
  EXPECT_EQ(with.weight_gradient, without.weight_gradient);
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

TEST(TransformerText, LatentAttentionAndPatchesAreKeys) {
  const Transformer latent =
      parse_transformer(
          "transformer:layers=2,hidden=100,heads=3,head_dim=32,kv_rank=16,rope_dim=8,seq=8,vocab=9,"
          "gated=yes,device=a100")
          .shape;
  EXPECT_EQ(latent.score_size(), 40U);
  EXPECT_EQ(latent.attention_size(), 96U);
  EXPECT_FALSE(parse_transformer("transformer:layers=2,hidden=64,heads=2,seq=8,vocab=10,patch=12,"
                                 "device=a100")
                   .shape.tied);
  EXPECT_EQ(error_of("transformer:layers=2,hidden=64,heads=2,seq=8,vocab=9,q_rank=4,device=a100"),
            "transformer: q_rank: expected kv_rank beside it: it is of latent attention");
  EXPECT_EQ(error_of("transformer:model=vit-l-16,tied=yes,device=a100"),
            "transformer: tied: expected no beside patch: classes are no words");
  EXPECT_EQ(error_of("transformer:model=deepseek-v3,kv_heads=8,device=a100"),
            "transformer: kv_heads: expected as many as heads (128) beside kv_rank, found 8");
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

// An expert more costs as much as the one before it, however many there are: with top_k times as
// many tokens as experts each gets the same, and the time of 100 million is worked out at once.
TEST(Transformer, MillionsOfExpertsAreNotAddedUpOneByOne) {
  const TrainingLaw law{
      .products = {{"bf16", {.peak = FlopsPerSecond{3e14}, .bandwidth = BytesPerSecond{1e12}}}},
      .flash_forward = FlopsPerSecond{1e14},
      .flash_backward = FlopsPerSecond{1e14},
      .elementwise = BytesPerSecond{1e12}};
  Transformer shape = *find_transformer("mixtral-8x7b");
  shape.experts = shape.top_k = 100'000'000;
  const PassTimes times = block_times(shape, law, {}, 0);
  EXPECT_TRUE(std::isfinite(times.forward.value));
  EXPECT_GT(times.forward, Seconds{1});
}

}  // namespace
}  // namespace stepcast
