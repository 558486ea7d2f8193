#include <algorithm>

#include "traces/readers/huggingface/model_family.hpp"
#include "traces/readers/huggingface/tensor_groups.hpp"

// Decoders whose blocks are equal. A new family is a row; what its file says in an unusual way
// is a function of some lines. The tensors are those of the family's modelling code.

namespace stepcast::tensors {
namespace {

// Llama's blocks have RMS norms, a gated MLP and no bias.
Rows llama_like(const Rows& more = {}) {
  return joined({{kWords}, {kAttention}, {kGatedMlp}, {kTwoScales}, {kLastScale}}, more);
}

// GPT's blocks have layer norms and an MLP of two matrices.
Rows gpt_like(const Rows& more = {}) {
  return joined({{kWords}, {kAttention}, {kPlainMlp}, {kTwoNorms}, {kLastNorm}}, more);
}

// GPT-J's blocks have one norm, whose output goes into attention and MLP at once.
Rows parallel_gpt(const Rows& more = {}) {
  return joined({{kWords}, {kAttention}, {kPlainMlp}, {kOneNorm}, {kLastNorm}}, more);
}

const Rows all_biases{{kAttentionBiases}, {kPlainMlpBiases}};

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
  static constexpr std::array kWays{Tensor{Embedding, Embedded, Hidden},
                                    Tensor{TensorPart::Head, Embedded, Hidden}};
  if (size != draft.shape.hidden)
    draft.more.emplace_back(kWays);
  if (keys.flag_or("do_layer_norm_before", true) &&
      !keys.flag_or("_remove_final_layer_norm", false))
    draft.more.emplace_back(kLastNorm);
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
    draft.more.emplace_back(kOneNorm);
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
    draft.more.emplace_back(kLearnedPositions);
  }
}

// ChatGLM from its second version on; the first has another architecture.
void read_chatglm(const ConfigKeys& keys, ModelDraft& draft) {
  draft.shape.vocab = keys.count_or({"padded_vocab_size"}, draft.shape.vocab);
  if (keys.flag_or("multi_query_attention", false))
    draft.shape.kv_heads = keys.count({"multi_query_group_num"});
}

const std::vector<ModelFamily> decoders{
    {.type = "llama",
     .tensors = llama_like(
         {{kAttentionBiases, "attention_bias", false}, {kGatedMlpBiases, "mlp_bias", false}})},
    {.type = "Yi", .tensors = llama_like()},
    {.type = "mistral", .tensors = llama_like()},
    {.type = "ministral", .tensors = llama_like()},
    {.type = "qwen", .tensors = llama_like({{kQkvBiases}}), .seq = 8192, .adjust = halve_inner},
    {.type = "qwen2", .tensors = llama_like({{kQkvBiases}})},
    {.type = "qwen3",
     .tensors = llama_like({{kHeadScales}, {kAttentionBiases, "attention_bias", false}}),
     .head_dim = 128},
    {.type = "gemma",
     .tensors = llama_like({{kAttentionBiases, "attention_bias", false}}),
     .tied = true,
     .head_dim = 256},
    {.type = "gemma2",
     .tensors = llama_like({{kTwoScales}, {kAttentionBiases, "attention_bias", false}}),
     .tied = true,
     .head_dim = 256},
    {.type = "gemma3_text",
     .tensors =
         llama_like({{kTwoScales}, {kHeadScales}, {kAttentionBiases, "attention_bias", false}}),
     .tied = true,
     .head_dim = 256},
    {.type = "phi3", .tensors = llama_like()},
    {.type = "phi",
     .tensors =
         joined(parallel_gpt({{kHeadBias}, {kHeadNorms, "qk_layernorm", false}}), all_biases),
     .gated = false,
     .inner = 4},
    {.type = "stablelm",
     .tensors = {{kWords},
                 {kAttention},
                 {kGatedMlp},
                 {kOneNorm},
                 {kOneNorm, "!use_parallel_residual", true},
                 {kQkvBiases, "use_qkv_bias", false},
                 {kWholeScales, "qk_layernorm", false},
                 {kLastNorm}}},
    {.type = "starcoder2",
     .tensors =
         gpt_like({{kAttentionBiases, "use_bias", true}, {kPlainMlpBiases, "use_bias", true}}),
     .gated = false,
     .tied = true},
    {.type = "olmo",
     .tensors = {{kWords}, {kAttention}, {kGatedMlp}, {kAttentionBiases, "attention_bias", false}}},
    {.type = "olmo2",
     .tensors = llama_like({{kWholeScales}, {kAttentionBiases, "attention_bias", false}})},
    {.type = "olmo3",
     .tensors = llama_like({{kWholeScales}, {kAttentionBiases, "attention_bias", false}})},
    {.type = "granite",
     .tensors = llama_like(
         {{kAttentionBiases, "attention_bias", false}, {kGatedMlpBiases, "mlp_bias", false}})},
    {.type = "cohere",
     .tensors = {{kWords},
                 {kAttention},
                 {kGatedMlp},
                 {kOneScale},
                 {kLastScale},
                 {kWholeScales, "use_qk_norm", false},
                 {kAttentionBiases, "attention_bias", false}},
     .tied = true},
    {.type = "cohere2",
     .tensors = {{kWords},
                 {kAttention},
                 {kGatedMlp},
                 {kOneScale},
                 {kLastScale},
                 {kAttentionBiases, "attention_bias", false}},
     .tied = true},
    {.type = "chatglm",
     .tensors = llama_like({{kQkvBiases, "add_qkv_bias", false}}),
     .adjust = read_chatglm},
    {.type = "glm",
     .tensors = llama_like({{kQkvBiases, "attention_bias", false}}),
     .head_dim = 128},
    {.type = "glm4",
     .tensors = llama_like({{kTwoScales}, {kQkvBiases, "attention_bias", false}}),
     .head_dim = 128},
    {.type = "internlm", .tensors = llama_like({{kAttentionBiases, "bias", true}})},
    {.type = "internlm2", .tensors = llama_like({{kAttentionBiases, "bias", false}})},
    {.type = "internlm3",
     .tensors = llama_like({{kQkvBiases, "qkv_bias", false},
                            {kOutputBias, "bias", false},
                            {kGatedMlpBiases, "bias", false}})},
    {.type = "baichuan", .tensors = llama_like(), .seq = 4096},
    {.type = "exaone", .tensors = llama_like(), .tied = true},
    {.type = "exaone4", .tensors = llama_like({{kHeadScales}})},
    {.type = "minicpm",
     .tensors = llama_like({{kAttentionBiases, "attention_bias", false}}),
     .tied = true},
    {.type = "smollm3",
     .tensors = llama_like(
         {{kAttentionBiases, "attention_bias", false}, {kGatedMlpBiases, "mlp_bias", false}}),
     .tied = true},
    {.type = "seed_oss",
     .tensors = llama_like({{kQkvBiases, "attention_bias", true},
                            {kOutputBias, "attention_out_bias", false},
                            {kGatedMlpBiases, "mlp_bias", false}}),
     .head_dim = 128},
    {.type = "ernie4_5",
     .tensors =
         llama_like({{kAttentionBiases, "use_bias", false}, {kGatedMlpBiases, "use_bias", false}}),
     .tied = true,
     .head_dim = 128},
    {.type = "hunyuan_v1_dense",
     .tensors = llama_like({{kHeadScales}, {kAttentionBiases, "attention_bias", false}})},
    {.type = "nemotron",
     .tensors = gpt_like(
         {{kAttentionBiases, "attention_bias", false}, {kPlainMlpBiases, "mlp_bias", false}}),
     .gated = false},
    {.type = "arcee",
     .tensors = {{kWords},
                 {kAttention},
                 {kPlainMlp},
                 {kTwoScales},
                 {kLastScale},
                 {kAttentionBiases, "attention_bias", false},
                 {kPlainMlpBiases, "mlp_bias", false}},
     .gated = false},
    {.type = "gpt2",
     .tensors = joined(gpt_like({{kLearnedPositions}}), all_biases),
     .gated = false,
     .tied = true,
     .learned_positions = true,
     .seq = 1024,
     .inner = 4},
    {.type = "openai-gpt",
     .tensors = joined({{kWords}, {kLearnedPositions}, {kAttention}, {kPlainMlp}, {kTwoNorms}},
                       all_biases),
     .gated = false,
     .tied = true,
     .learned_positions = true,
     .seq = 512,
     .inner = 4},
    {.type = "gpt_neo",
     .tensors = gpt_like({{kLearnedPositions}, {kOutputBias}, {kPlainMlpBiases}}),
     .gated = false,
     .tied = true,
     .learned_positions = true,
     .inner = 4},
    {.type = "gpt_neox",
     .tensors = gpt_like({{kAttentionBiases, "attention_bias", true}, {kPlainMlpBiases}}),
     .gated = false},
    {.type = "gptj",
     .tensors = parallel_gpt({{kPlainMlpBiases}, {kHeadBias}}),
     .gated = false,
     .inner = 4},
    {.type = "codegen",
     .tensors = parallel_gpt({{kPlainMlpBiases}, {kHeadBias}}),
     .gated = false,
     .inner = 4},
    {.type = "gpt_bigcode",
     .tensors = joined(gpt_like({{kLearnedPositions}}), all_biases),
     .gated = false,
     .tied = true,
     .learned_positions = true,
     .seq = 1024,
     .inner = 4,
     .adjust = read_multi_query},
    {.type = "opt",
     .tensors = {{kEmbeddedWords},
                 {kLearnedPositions},
                 {kAttention},
                 {kPlainMlp},
                 {kTwoNorms, "layer_norm_elementwise_affine", true},
                 {kAttentionBiases, "enable_bias", true},
                 {kPlainMlpBiases, "enable_bias", true}},
     .gated = false,
     .tied = true,
     .learned_positions = true,
     .adjust = read_opt},
    {.type = "bloom",
     .tensors = joined(gpt_like({{kEmbeddingNorm}}), all_biases),
     .gated = false,
     .tied = true,
     .inner = 4},
    {.type = "falcon",
     .tensors = parallel_gpt({{kAttentionBiases, "bias", false}, {kPlainMlpBiases, "bias", false}}),
     .gated = false,
     .tied = true,
     .inner = 4,
     .adjust = read_falcon},
    {.type = "mpt",
     .tensors = {{kWords},
                 {kAttention},
                 {kPlainMlp},
                 {kTwoScales},
                 {kLastScale},
                 {kTwoScales, "!no_bias", false},
                 {kAttentionBiases, "!no_bias", false},
                 {kPlainMlpBiases, "!no_bias", false}},
     .gated = false,
     .tied = true,
     .inner = 4,
     .adjust = read_mpt}};

}  // namespace
}  // namespace stepcast::tensors

namespace stepcast {

std::span<const ModelFamily> decoder_families() {
  return tensors::decoders;
}

}  // namespace stepcast
