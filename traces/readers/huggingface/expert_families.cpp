#include <fmt/format.h>

#include "traces/readers/huggingface/model_family.hpp"
#include "traces/readers/huggingface/tensor_groups.hpp"

// Decoders with several MLPs in a block, and those with multi-head latent attention.

namespace stepcast::tensors {
namespace {

// RMS norms, gated experts, nothing with a bias.
Rows with_experts(const Rows& more = {}) {
  return joined({{kWords},
                 {kAttention},
                 {kGatedMlp},
                 {kGatedExperts},
                 {kRouter},
                 {kSharedExperts},
                 {kTwoScales},
                 {kLastScale}},
                more);
}

void require_every_layer(const ConfigKeys& keys) {
  for (const char* step :
       {"decoder_sparse_step", "moe_layer_freq", "moe_layer_interval", "interleave_moe_layer_step"})
    if (keys.count_or({step}, 1, 0) != 1)
      keys.fail(step, "expected 1: experts in every layer, or in every one after the first");
  if (keys.entries("mlp_only_layers") > 0)
    keys.fail("mlp_only_layers", "expected no layer: experts in every layer");
}

void require_last_layer(const ConfigKeys& keys, const Transformer& shape) {
  const std::int64_t last = keys.index_or("moe_layer_end_index", -1);
  if (last != -1 && last < std::int64_t{shape.layers} - 1)
    keys.fail("moe_layer_end_index",
              fmt::format("expected -1 or the last layer, {}", shape.layers - 1));
}

// Shared experts by their number, or by the inner size of all of them.
void read_shared_experts(const ConfigKeys& keys, Transformer& shape) {
  shape.shared_experts = keys.count_or(
      {"n_shared_experts", "moe_num_shared_experts", "num_shared_expert", "num_shared_experts"}, 0,
      0);
  for (const char* key : {"shared_expert_intermediate_size", "shared_intermediate_size"}) {
    if (!keys.has(key))
      continue;
    const std::uint32_t size = keys.count({key}, 0);
    if (size % shape.ffn != 0)
      keys.fail(key, fmt::format("expected a multiple of an expert's inner size, {}", shape.ffn));
    shape.shared_experts = size / shape.ffn;
  }
}

// Llama 4 names the inner size of experts as others name that of an MLP without.
void read_llama4(const ConfigKeys& keys, ModelDraft& draft) {
  draft.shape.dense_ffn = keys.count_or({"intermediate_size_mlp"}, draft.shape.dense_ffn);
  draft.shape.shared_experts = 1;
  if (const std::size_t layers = keys.entries("moe_layers");
      layers > 0 && layers != draft.shape.layers)
    keys.fail("moe_layers", fmt::format("expected all {} layers", draft.shape.layers));
}

void read_dbrx(const ConfigKeys& keys, ModelDraft& draft) {
  const ConfigKeys attention = keys.object("attn_config");
  const ConfigKeys ffn = keys.object("ffn_config");
  draft.shape.kv_heads = attention.count_or({"kv_n_heads"}, 1);
  draft.shape.ffn = ffn.count({"ffn_hidden_size"});
  draft.shape.experts = ffn.count({"moe_num_experts"});
  draft.shape.top_k = ffn.count({"moe_top_k"});
}

void read_hunyuan(const ConfigKeys& keys, ModelDraft& draft) {
  if (!keys.flag_or("use_mixed_mlp_moe", false))
    draft.shape.shared_experts = 0;
}

// Latent attention has no key-value heads of its own, and a head's values must be as large as the
// part of its keys that bears no position.
void read_latent(const ConfigKeys& keys, ModelDraft& draft) {
  Transformer& shape = draft.shape;
  shape.kv_heads = shape.heads;
  shape.head_dim = keys.count({"qk_nope_head_dim"});
  if (keys.count_or({"v_head_dim"}, shape.head_dim) != shape.head_dim)
    keys.fail("v_head_dim", fmt::format("expected that of keys, {}", shape.head_dim));
  shape.rope_dim = keys.count({"qk_rope_head_dim"});
  shape.kv_rank = keys.count({"kv_lora_rank"});
  shape.q_rank = keys.count_or({"q_lora_rank"}, 0, 0);
  if (keys.flag_or("attention_bias", false))
    keys.fail("attention_bias", "expected false: latent attention is not known with biases");
  if (keys.has({"n_routed_experts"}))
    read_experts(keys, draft);
  if (keys.count_or({"num_nextn_predict_layers"}, 0, 0) > 0)
    draft.model.notes.emplace_back("layers that predict the tokens after the next are left out");
}

void note_next_tokens(const ConfigKeys& keys, ModelDraft& draft) {
  if (keys.count_or({"num_nextn_predict_layers"}, 0, 0) > 0)
    draft.model.notes.emplace_back("layers that predict the tokens after the next are left out");
}

const std::vector<ModelFamily> expert_decoders{
    {.type = "mixtral", .tensors = with_experts(), .experts = true},
    {.type = "qwen2_moe",
     .tensors = with_experts({{kQkvBiases, "qkv_bias", true}, {kSharedGate}}),
     .experts = true},
    {.type = "qwen3_moe",
     .tensors = with_experts({{kHeadScales}, {kAttentionBiases, "attention_bias", false}}),
     .experts = true},
    {.type = "phimoe",
     .tensors = {{kWords},
                 {kAttention},
                 {kGatedExperts},
                 {kRouter},
                 {kTwoNorms},
                 {kLastNorm},
                 {kAttentionBiases, "attention_bias", false},
                 {kHeadBias, "lm_head_bias", false}},
     .experts = true},
    {.type = "olmoe",
     .tensors = with_experts({{kWholeScales}, {kAttentionBiases, "attention_bias", false}}),
     .experts = true},
    {.type = "granitemoe",
     .tensors = with_experts({{kAttentionBiases, "attention_bias", false}}),
     .experts = true},
    {.type = "granitemoeshared",
     .tensors = with_experts({{kAttentionBiases, "attention_bias", false}}),
     .experts = true},
    {.type = "dbrx",
     .tensors = {{kWords}, {kAttention}, {kGatedExperts}, {kRouter}, {kTwoScales}, {kLastScale}},
     .inner = 4,
     .adjust = read_dbrx},
    {.type = "gpt_oss",
     .tensors = with_experts({{kAttentionBiases, "attention_bias", true},
                              {kSinks},
                              {kRouterBias},
                              {kGatedExpertBiases}}),
     .experts = true,
     .head_dim = 64},
    {.type = "deepseek",
     .tensors = with_experts({{kAttentionBiases, "attention_bias", false}}),
     .experts = true},
    {.type = "deepseek_v2", .seq = 4096, .adjust = read_latent},
    {.type = "deepseek_v3", .seq = 4096, .adjust = read_latent},
    {.type = "kimi_k2", .seq = 4096, .adjust = read_latent},
    {.type = "minicpm3", .tied = true, .seq = 32768, .adjust = read_latent},
    {.type = "glm4_moe",
     .tensors =
         with_experts({{kQkvBiases, "attention_bias", false}, {kHeadScales, "use_qk_norm", false}}),
     .experts = true,
     .head_dim = 128,
     .adjust = note_next_tokens},
    {.type = "dots1",
     .tensors = with_experts({{kHeadScales}, {kAttentionBiases, "attention_bias", false}}),
     .experts = true},
    {.type = "ernie4_5_moe",
     .tensors = with_experts({{kAttentionBiases, "use_bias", false},
                              {kGatedMlpBiases, "use_bias", false},
                              {kGatedExpertBiases, "use_bias", false}}),
     .tied = true,
     .experts = true},
    {.type = "hunyuan_v1_moe",
     .tensors = with_experts({{kHeadScales}, {kAttentionBiases, "attention_bias", false}}),
     .experts = true,
     .adjust = read_hunyuan},
    {.type = "llama4_text",
     .tensors = with_experts({{kAttentionBiases, "attention_bias", false}}),
     .experts = true,
     .adjust = read_llama4}};

}  // namespace

void read_experts(const ConfigKeys& keys, ModelDraft& draft) {
  Transformer& shape = draft.shape;
  constexpr std::uint32_t kSeveral = 2;
  shape.experts = keys.count({"num_local_experts", "num_experts", "n_routed_experts",
                              "moe_num_experts", "num_routed_experts"},
                             kSeveral);
  shape.top_k = keys.count({"num_experts_per_tok", "experts_per_token", "moe_topk", "moe_k"});
  shape.dense_ffn = shape.ffn;
  shape.ffn = keys.count_or({"moe_intermediate_size"}, shape.ffn);
  shape.dense_layers = keys.count_or({"first_k_dense_replace", "moe_layer_start_index"}, 0, 0);
  read_shared_experts(keys, shape);
  require_every_layer(keys);
  require_last_layer(keys, shape);
}

}  // namespace stepcast::tensors

namespace stepcast {

std::span<const ModelFamily> expert_families() {
  return tensors::expert_decoders;
}

}  // namespace stepcast
