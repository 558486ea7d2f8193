#include "traces/readers/huggingface/model_config.hpp"

#include <gtest/gtest.h>

#include "models/base/error.hpp"
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

// Qwen2-7B: 7,615,616,512, of which 0.13 million are biases; BERT-Base: 109,482,240 with the pooler
// (0.59 million) and token types; ViT-Base/16: 86,567,656 with a classifier of 0.77 million.
TEST(ModelConfig, OthersAreNearTheirPublishedNumbers) {
  EXPECT_NEAR(millions(R"({"model_type": "qwen2", "num_hidden_layers": 28, "hidden_size": 3584,
      "num_attention_heads": 28, "num_key_value_heads": 4, "intermediate_size": 18944,
      "vocab_size": 152064, "tie_word_embeddings": false})"),
              7615.6, 0.2);
  EXPECT_NEAR(millions(R"({"model_type": "bert", "num_hidden_layers": 12, "hidden_size": 768,
      "num_attention_heads": 12, "intermediate_size": 3072, "vocab_size": 30522})"),
              109.48, 0.65);
  EXPECT_NEAR(millions(R"({"model_type": "vit", "num_hidden_layers": 12, "hidden_size": 768,
      "num_attention_heads": 12, "intermediate_size": 3072})"),
              86.57, 0.8);
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
  EXPECT_NE(input_error_of([] {
              model_of(R"({"model_type": "lama"})");
            }).find("config.json: /model_type: expected one of bert, gpt2, llama"),
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

TEST(ModelConfig, HeadsOfAnotherSizeAreRefused) {
  EXPECT_NE(input_error_of([] {
              model_of(R"({"model_type": "llama", "num_hidden_layers": 1, "hidden_size": 64,
      "num_attention_heads": 4, "head_dim": 32, "intermediate_size": 8, "vocab_size": 8})");
            }).find("head_dim: expected hidden_size / num_attention_heads = 16"),
            std::string::npos);
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
