#include "traces/readers/huggingface/model_config.hpp"

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/workload/transformer/presets.hpp"
#include "models/workload/transformer/transformer_text.hpp"
#include "tests/support/input_error.hpp"
#include "traces/json/given_texts.hpp"

namespace stepcast {
namespace {

ConfiguredModel model_of(const std::string& text, const ConfigChoice& choice = {}) {
  const GivenTexts given(std::map<std::string, std::string>{{"config.json", text}});
  return read_model_config("config.json", choice);
}

/// Millions of parameters.
double millions(const std::string& text) {
  return static_cast<double>(parameter_count(model_of(text).shape)) / 1e6;
}

constexpr const char* kLlama =
    R"({"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "vocab_size": 128256,
        "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336,
        "max_position_embeddings": 8192, "torch_dtype": "bfloat16", "rope_theta": 500000.0})";

// Published: Llama 3 8B has 8,030,261,248 parameters, GPT-2 124,439,808, Mixtral 8x7B
// 46,702,792,704: decoders are met exactly.
TEST(ModelConfig, DecodersHaveThePublishedNumbersOfParameters) {
  EXPECT_EQ(parameter_count(model_of(kLlama).shape), 8'030'261'248U);
  EXPECT_EQ(parameter_count(model_of(R"({"model_type": "gpt2"})").shape), 124'439'808U);
  EXPECT_NEAR(millions(R"({"model_type": "mixtral", "num_hidden_layers": 32, "hidden_size": 4096,
      "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336,
      "num_local_experts": 8, "num_experts_per_tok": 2, "vocab_size": 32000})"),
              46702.8, 1.5);  // its routers are 1 million
}

// Published: BERT-Base 109,482,240 with token types and the pooler, ViT-Base/16 86,567,656 with its
// classifier of 1,000.
TEST(ModelConfig, EncodersHaveThePublishedNumbersOfParameters) {
  EXPECT_EQ(parameter_count(
                model_of(R"({"model_type": "bert", "num_hidden_layers": 12, "hidden_size": 768,
      "num_attention_heads": 12, "intermediate_size": 3072, "vocab_size": 30522})")
                    .shape),
            109'482'240U);
  const ConfiguredModel images =
      model_of(R"({"model_type": "vit", "num_hidden_layers": 12, "hidden_size": 768,
      "num_attention_heads": 12, "intermediate_size": 3072})");
  EXPECT_EQ(parameter_count(images.shape), 86'567'656U);
  EXPECT_EQ(images.notes.front(), "classes are not stated: 1,000");
  EXPECT_EQ(model_of(R"({"model_type": "vit", "num_hidden_layers": 1, "hidden_size": 8,
      "num_attention_heads": 1, "intermediate_size": 8, "id2label": {"0": "cat", "1": "dog"}})")
                .shape.vocab,
            2U);
}

// Qwen2-7B: 7,615,616,512, of which 0.13 million are biases.
TEST(ModelConfig, Qwen2IsNearItsPublishedNumber) {
  EXPECT_NEAR(millions(R"({"model_type": "qwen2", "num_hidden_layers": 28, "hidden_size": 3584,
      "num_attention_heads": 28, "num_key_value_heads": 4, "intermediate_size": 18944,
      "vocab_size": 152064, "tie_word_embeddings": false})"),
              7615.6, 0.2);
}

constexpr const char* kDeepSeek =
    R"({"model_type": "deepseek_v3", "num_hidden_layers": 61, "hidden_size": 7168,
        "num_attention_heads": 128, "num_key_value_heads": 128, "intermediate_size": 18432,
        "moe_intermediate_size": 2048, "n_routed_experts": 256, "n_shared_experts": 1,
        "num_experts_per_tok": 8, "first_k_dense_replace": 3, "moe_layer_freq": 1,
        "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
        "v_head_dim": 128, "vocab_size": 129280, "tie_word_embeddings": false,
        "num_nextn_predict_layers": 1, "max_position_embeddings": 163840,
        "torch_dtype": "bfloat16"})";

TEST(ModelConfig, DeepSeekV3IsThePresetWithItsLongestSequence) {
  const ConfiguredModel model = model_of(kDeepSeek, {.seq = 4096});
  const Transformer preset = *find_transformer("deepseek-v3");
  EXPECT_EQ(parameter_count(model.shape), parameter_count(preset));
  for (const std::string& key : shape_keys())
    EXPECT_EQ(shape_text(model.shape, key), shape_text(preset, key)) << key;
  EXPECT_EQ(model.notes.front(), "layers that predict the tokens after the next are left out");
}

TEST(ModelConfig, AnImageIsAsManyTokensAsPatchesAndOne) {
  EXPECT_EQ(model_of(R"({"model_type": "vit", "num_hidden_layers": 1, "hidden_size": 8,
      "num_attention_heads": 1, "intermediate_size": 8})")
                .shape.seq,
            14U * 14 + 1);
}

TEST(ModelConfig, TheFirstQwenHalvesItsInnerSize) {
  EXPECT_EQ(model_of(R"({"model_type": "qwen", "num_hidden_layers": 32, "hidden_size": 4096,
      "num_attention_heads": 32, "intermediate_size": 22016, "vocab_size": 151936})")
                .shape.ffn,
            11008U);
}

TEST(ModelConfig, WhatTheFileDoesNotSayIsChosen) {
  const Transformer shape = model_of(kLlama, {.seq = 512, .precision = "fp8"}).shape;
  EXPECT_EQ(shape.seq, 512U);
  EXPECT_EQ(shape.precision, "fp8");
}

TEST(ModelConfig, FaultsNameFileAndKey) {
  EXPECT_NE(input_error_of([] { model_of(R"({"model_type": "lama"})"); })
                .find("config.json: /model_type: expected one of bert, deepseek_v2, deepseek_v3, "
                      "gpt2, llama"),
            std::string::npos);
  EXPECT_NE(input_error_of([] {
              model_of(R"({"model_type": "bert"})");
            }).find("config.json: /num_hidden_layers"),
            std::string::npos);
  for (const char* text :
       {"[]", "{}", "3", R"({"model_type": 3})", R"({"model_type": "gpt2", "n_layer": -1})",
        R"({"model_type": "gpt2", "n_layer": 1e99})", R"({"model_type": "gpt2", "n_head": 7})",
        R"({"model_type": "gpt2", "n_embd": 0})",
        R"({"model_type": "gpt2", "n_layer": 4000000000})"})
    EXPECT_TRUE(input_error_of([&] { model_of(text); }).starts_with("config.json: ")) << text;
}

TEST(ModelConfig, HeadsMayBeOfAnotherSize) {
  const Transformer shape =
      model_of(R"({"model_type": "llama", "num_hidden_layers": 1, "hidden_size": 64,
      "num_attention_heads": 4, "head_dim": 32, "intermediate_size": 8, "vocab_size": 8})")
          .shape;
  EXPECT_EQ(shape.attention_size(), 128U);
  // Four matrices of attention, three of the MLP, two norms; embedding, head and their norm.
  EXPECT_EQ(parameter_count(shape), 4 * 64 * 128 + 3 * 64 * 8 + 2 * 64 + 2 * 64 * 8 + 64U);
}

TEST(ModelConfig, LatentValuesOfAnotherSizeAreRefused) {
  std::string text = kDeepSeek;
  text.replace(text.find("\"v_head_dim\": 128"), 17, "\"v_head_dim\": 96");
  EXPECT_EQ(input_error_of([&] { model_of(text); }),
            "config.json: /v_head_dim: expected that of keys, 128");
}

// It was bf16 without a word.
TEST(ModelConfig, AnUnknownPrecisionIsRefused) {
  std::string text = kLlama;
  text.replace(text.find("bfloat16"), 8, "int3");
  EXPECT_EQ(input_error_of([&] { model_of(text); }),
            "config.json: /torch_dtype: expected float32, float16 or bfloat16, found \"int3\"; "
            "`precision` gives one in its place");
  EXPECT_EQ(model_of(text, {.precision = "fp8"}).shape.precision, "fp8");
}

}  // namespace
}  // namespace stepcast
