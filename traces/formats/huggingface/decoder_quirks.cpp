#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "traces/formats/huggingface/model_family.hpp"

// What the files of decoders say in an unusual way, a function of some lines each; also of those
// that scan in place of attention (Mamba, arXiv 2312.00752; Mamba-2, arXiv 2405.21060).

namespace stepcast {
namespace {

using enum TensorSize;

// The first Qwen's code halves intermediate_size: it is of two gated halves.
void halve_inner(const ConfigKeys& /*keys*/, ModelDraft& draft) {
  draft.shape.ffn = std::max(1U, draft.shape.ffn / 2);
}

// OPT's rows of positions begin with two that nothing uses. Small models may have words of another
// size than the hidden one, with a matrix on the way in and one on the way out.
void read_opt(const ConfigKeys& keys, ModelDraft& draft) {
  constexpr std::uint32_t kUnused = 2;
  draft.size(Positions) = std::uint64_t{draft.shape.seq} + kUnused;
  const std::uint32_t size = keys.count_or({"word_embed_proj_dim"}, draft.shape.hidden);
  draft.size(Embedded) = size;
  if (size != draft.shape.hidden)
    draft.more.emplace_back("ways_in_and_out");
  if (keys.flag_or("do_layer_norm_before", true) &&
      !keys.flag_or("_remove_final_layer_norm", false))
    draft.more.emplace_back("last_norm");
}

void read_multi_query(const ConfigKeys& keys, ModelDraft& draft) {
  if (keys.flag_or("multi_query", true))
    draft.shape.kv_heads = 1;
}

// Falcon's first architecture has one key and value for all heads and one norm; the second groups
// of heads and usually a norm of its own for the MLP.
void read_falcon(const ConfigKeys& keys, ModelDraft& draft) {
  const bool grouped = keys.flag_or("new_decoder_architecture", false);
  if (!grouped)
    draft.shape.kv_heads = keys.flag_or("multi_query", true) ? 1 : draft.shape.heads;
  const std::uint32_t norms = keys.count_or({"num_ln_in_parallel_attn"}, grouped ? 2 : 1);
  if (norms == 2 || !keys.flag_or("parallel_attn", true))
    draft.more.emplace_back("one_norm");
}

void read_mpt(const ConfigKeys& keys, ModelDraft& draft) {
  constexpr std::uint32_t kRatio = 4;
  draft.shape.ffn = keys.product("expansion_ratio", draft.shape.hidden,
                                 keys.count_or({"expansion_ratio"}, kRatio));
  const ConfigKeys attention = keys.object("attn_config");
  draft.shape.kv_heads = attention.count_or({"kv_n_heads"}, draft.shape.heads);
  if (attention.flag_or("qk_ln", false))
    attention.fail("qk_ln", "expected false: norms of queries and keys are not known of mpt");
  if (!attention.flag_or("alibi", true)) {
    draft.shape.learned_positions = true;
    draft.more.emplace_back("learned_positions");
  }
}

// ChatGLM from its second version on; the first has another architecture.
void read_chatglm(const ConfigKeys& keys, ModelDraft& draft) {
  draft.shape.vocab = keys.count_or({"padded_vocab_size"}, draft.shape.vocab);
  if (keys.flag_or("multi_query_attention", false))
    draft.shape.kv_heads = keys.count({"multi_query_group_num"});
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

void note_next_tokens(const ConfigKeys& keys, ModelDraft& draft) {
  if (keys.count_or({"num_nextn_predict_layers"}, 0, 0) > 0)
    draft.model.notes.emplace_back("layers that predict the tokens after the next are left out");
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
  note_next_tokens(keys, draft);
}

// The scan's own rates were measured on no device.
void note_scan(ModelDraft& draft) {
  draft.model.notes.emplace_back(
      "scans are timed by what they read and write, which is a lower bound");
}

void read_taps(const ConfigKeys& keys, ModelDraft& draft) {
  constexpr std::uint32_t kTaps = 4;
  draft.size(Taps) = keys.count_or({"conv_kernel"}, kTaps);
}

void read_mamba(const ConfigKeys& keys, ModelDraft& draft) {
  Transformer& shape = draft.shape;
  read_taps(keys, draft);
  constexpr std::uint32_t kPerStep = 16;
  shape.state = keys.count_or({"state_size"}, kPerStep);
  const std::uint32_t rank = (shape.hidden + kPerStep - 1) / kPerStep;
  shape.state_rank = keys.is_text("time_step_rank")  // "auto"
                         ? rank
                         : keys.count_or({"time_step_rank"}, rank);
  note_scan(draft);
}

void read_mamba2(const ConfigKeys& keys, ModelDraft& draft) {
  Transformer& shape = draft.shape;
  read_taps(keys, draft);
  constexpr std::uint32_t kExpand = 2;
  shape.ffn = keys.product("expand", keys.count_or({"expand"}, kExpand), shape.hidden);
  draft.size(Heads) = keys.count({"num_heads"});
  shape.state =
      keys.product("n_groups", keys.count_or({"state_size"}, 128), keys.count_or({"n_groups"}, 8));
  if (keys.flag_or("use_bias", false))
    keys.fail("use_bias", "expected false: Mamba-2 is not known with biases");
  note_scan(draft);
}

constexpr std::array kQuirks{Quirk{"halved_inner", halve_inner},
                             Quirk{"opt", read_opt},
                             Quirk{"multi_query", read_multi_query},
                             Quirk{"falcon", read_falcon},
                             Quirk{"mpt", read_mpt},
                             Quirk{"chatglm", read_chatglm},
                             Quirk{"llama4", read_llama4},
                             Quirk{"dbrx", read_dbrx},
                             Quirk{"hunyuan", read_hunyuan},
                             Quirk{"next_tokens", note_next_tokens},
                             Quirk{"latent", read_latent},
                             Quirk{"mamba", read_mamba},
                             Quirk{"mamba2", read_mamba2}};

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

std::span<const Quirk> decoder_quirks() {
  return kQuirks;
}

}  // namespace stepcast
