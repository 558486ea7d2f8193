#include "traces/formats/huggingface/model_config.hpp"

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

constexpr const char* kLlama =
    R"({"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "vocab_size": 128256,
        "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336,
        "max_position_embeddings": 8192, "torch_dtype": "bfloat16", "rope_theta": 500000.0})";

// Classes of an image may be stated; where they are not, they are ImageNet's.
TEST(ModelConfig, AnImageHasTheClassesOfItsFile) {
  const ConfiguredModel images =
      model_of(R"({"model_type": "vit", "num_hidden_layers": 12, "hidden_size": 768,
      "num_attention_heads": 12, "intermediate_size": 3072})");
  EXPECT_EQ(images.notes.front(), "classes are not stated: 1,000");
  EXPECT_EQ(model_of(R"({"model_type": "vit", "num_hidden_layers": 1, "hidden_size": 8,
      "num_attention_heads": 1, "intermediate_size": 8, "id2label": {"0": "cat", "1": "dog"}})")
                .shape.vocab,
            2U);
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

TEST(ModelConfig, AnUnknownFamilyIsRefusedWithoutAnotherInItsPlace) {
  EXPECT_EQ(input_error_of([] { model_of(R"({"model_type": "lama", "hidden_size": 8})"); }),
            "config.json: /model_type: \"lama\" is no family of configs/model_families.json, and a "
            "file does not say what tensors its blocks have; it lacks num_hidden_layers, "
            "num_attention_heads, "
            "intermediate_size, vocab_size, too; write a shape in line instead: run "
            "--workload transformer:layers=..");
  EXPECT_EQ(
      input_error_of([] { model_of(R"({"model_type": "gemma3", "text_config": {"a": 1}})"); }),
      "config.json: /model_type: \"gemma3\" is of several models; write the object under "
      "text_config into a file of its own to derive its language model");
}

TEST(ModelConfig, FaultsNameFileAndKey) {
  EXPECT_EQ(input_error_of([] { model_of(R"({"model_type": "bert"})"); }),
            "config.json: /num_hidden_layers: missing; other names of it: n_layer, n_layers, "
            "num_layers, decoder_layers");
  for (const char* text :
       {"[]", "{}", "3", R"({"model_type": 3})", R"({"model_type": "gpt2", "n_layer": -1})",
        R"({"model_type": "gpt2", "n_layer": 1e99})", R"({"model_type": "gpt2", "n_head": 7})",
        R"({"model_type": "gpt2", "n_embd": 0})",
        R"({"model_type": "gpt2", "n_layer": 4000000000})"})
    EXPECT_TRUE(input_error_of([&] { model_of(text); }).starts_with("config.json: ")) << text;
}

TEST(ModelConfig, OrdersOfBlocksThatCannotBeBuiltAreRefused) {
  EXPECT_EQ(input_error_of([] {
              model_of(R"({"model_type": "qwen3_moe", "num_hidden_layers": 4, "hidden_size": 8,
      "num_attention_heads": 2, "intermediate_size": 8, "vocab_size": 8, "num_experts": 4,
      "num_experts_per_tok": 2, "decoder_sparse_step": 2})");
            }),
            "config.json: /decoder_sparse_step: expected 1: experts in every layer, or in every "
            "one after the first");
}

TEST(ModelConfig, WindowsThatAreTimedAsTheWholeSequenceAreNoted) {
  constexpr const char* kWindow =
      R"({"model_type": "mistral", "num_hidden_layers": 1, "hidden_size": 8, "vocab_size": 8,
      "num_attention_heads": 1, "intermediate_size": 8, "sliding_window": 4096})";
  EXPECT_TRUE(model_of(kWindow, {.seq = 4096}).notes.empty());
  EXPECT_EQ(model_of(kWindow, {.seq = 8192}).notes.front(),
            "layers that see a window of 4096 tokens are timed as if they saw all 8192");
}

TEST(ModelConfig, TheHeadOfAnEncoderIsThatOfItsClass) {
  const auto model = [](const std::string& classes) {
    return model_of(R"({"model_type": "bert", "num_hidden_layers": 1, "hidden_size": 8,
      "num_attention_heads": 1, "intermediate_size": 8, "vocab_size": 100)" +
                    classes + "}");
  };
  const auto of_class = [&](const char* name) {
    return parameter_count(model(std::string(R"(, "architectures": [")") + name + R"("])"));
  };
  // A pooler is h h + h; what predicts words h h + h, a norm of 2 h and a bias for each word.
  EXPECT_EQ(of_class("BertForMaskedLM") - of_class("BertModel"), 2U * 8 + 100);
  EXPECT_EQ(parameter_count(model("")), of_class("BertModel"));
  EXPECT_EQ(model("").notes.front(),
            "architectures is not stated: its head is counted as that of a model whose class ends "
            "with Model");
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
