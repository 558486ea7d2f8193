#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/base/units.hpp"

namespace stepcast {

/// How attention is computed on a GPU.
enum class AttentionKind : std::uint8_t {
  Unfused,  ///< The scores of every head are stored, and again behind softmax and dropout.
  Fused,    ///< Softmax and dropout in one kernel: stored once.
  Flash,    ///< Never stored (Dao et al., 2022).
};

/// The shape of a transformer: blocks of attention and an MLP between an embedding and a head.
struct Transformer {
  std::string model = "transformer";  ///< "gpt3-175b"
  std::uint32_t layers = 1;           ///< Blocks.
  std::uint32_t hidden = 1;
  std::uint32_t ffn = 4;       ///< Inner size of the MLP; of one expert where there are several.
  std::uint32_t heads = 1;     ///< Divides `hidden` where no head_dim is given.
  std::uint32_t kv_heads = 1;  ///< Divides `heads`; fewer: grouped queries.
  std::uint32_t seq = 1;       ///< Tokens of a sequence.
  std::uint32_t vocab = 1;     ///< Of words; of classes where the input is an image.
  std::uint32_t experts = 1;   ///< MLPs of a block; 1: dense.
  std::uint32_t top_k = 1;     ///< Experts that a token goes through.
  std::uint32_t shared_experts = 0;  ///< Beside them, for every token.
  std::uint32_t dense_layers = 0;    ///< First blocks without experts; their MLP is dense_ffn.
  std::uint32_t dense_ffn = 0;
  std::uint32_t head_dim = 0;  ///< Numbers of a head's key and value; 0: hidden / heads.
  std::uint32_t kv_rank = 0;   ///< Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434):
                               ///< keys and values are made of so many numbers; 0: of `hidden`.
  std::uint32_t q_rank = 0;    ///< The same of queries; 0: of `hidden`.
  std::uint32_t rope_dim = 0;  ///< Numbers with positions beside a head's own; all keys share them.
  std::uint32_t patch = 0;     ///< Numbers of a patch of an image, which are the tokens beside one
                               ///< for the class; 0: words.
  std::uint32_t segments = 0;  ///< Vectors of token types (BERT).
  std::uint32_t encoder_seq = 0;   ///< Tokens of an encoder's output, to which every block attends
                                   ///< after it attended to its own (T5); 0: there is no encoder.
  std::uint32_t state = 0;         ///< Numbers of state of a channel (Mamba, arXiv 2312.00752): a
                                   ///< block scans `ffn` channels and has no attention and no MLP.
  std::uint32_t state_rank = 0;    ///< Numbers of which a Mamba block makes its time steps; 0: they
                                   ///< come with its first product (Mamba-2).
  bool gated = false;              ///< Three matrices in an MLP (SwiGLU), no biases.
  bool tied = true;                ///< The head uses the embedding's matrix.
  bool learned_positions = false;  ///< A vector for each position.
  bool pooler = false;             ///< A product of the first token behind the last block (BERT).
  bool causal = true;              ///< Tokens see those before them alone.
  bool shared_blocks = false;      ///< All blocks are one set of parameters (ALBERT).
  AttentionKind attention = AttentionKind::Flash;
  std::string precision = "bf16";  ///< Of products: fp32, fp16, bf16, fp8.

  // Parameters counted tensor by tensor, where a model has some that the sizes above do not tell
  // (biases, norms of queries and keys, sinks) or lacks some of these. None: what the sizes give.
  std::optional<std::uint64_t> block_parameters{};      ///< A block whose MLP has no experts.
  std::optional<std::uint64_t> sparse_parameters{};     ///< A block with experts, without these.
  std::optional<std::uint64_t> expert_parameters{};     ///< One expert of a block.
  std::optional<std::uint64_t> embedding_parameters{};  ///< Everything before the first block.
  std::optional<std::uint64_t> head_parameters{};       ///< Everything after the last block; a tied
                                                        ///< matrix is part of the embedding.

  bool has_experts() const { return experts > 1; }
  bool is_latent() const { return kv_rank > 0; }
  bool sees_images() const { return patch > 0; }
  bool scans() const { return state > 0; }
  /// Whether its blocks can be partitioned over GPUs: other models run whole only.
  bool can_be_partitioned() const { return encoder_seq == 0 && !scans() && !shared_blocks; }
  std::uint32_t head_size() const { return head_dim > 0 ? head_dim : hidden / heads; }
  /// Numbers of a head that scores multiply.
  std::uint32_t score_size() const { return head_size() + rope_dim; }
  /// Of what attention gives, all heads.
  std::uint32_t attention_size() const { return head_size() * heads; }
  std::uint32_t kv_size() const { return head_size() * kv_heads; }
  /// Of keys and values of a token.
  std::uint32_t keys_and_values() const { return (score_size() + head_size()) * kv_heads; }
};

/// What a shape must be to be built; throws InputError "heads: expected a divisor of hidden (100),
/// found 3".
void check_transformer(const Transformer& shape);

/// Trainable numbers, exactly: weights, biases (where the MLP is not gated) and norms, or what the
/// shape says was counted.
struct ParameterCounts {
  std::uint64_t attention = 0;  ///< Of a block, with its norm.
  std::uint64_t mlp = 0;        ///< Of a block without experts, or of all that is not an expert.
  std::uint64_t expert = 0;     ///< Of each expert; 0: none.
  std::uint64_t copied = 0;     ///< Of attention and mlp what ranks of a tensor group all hold:
                                ///< norms, what makes latent numbers, the router.
  std::uint64_t embedding = 0;  ///< Tokens and positions.
  std::uint64_t head = 0;       ///< With the last norm; a tied matrix is counted once, above.
};

/// Returns the parameters of block `layer`: the first blocks may be without experts, and where
/// blocks share their parameters the first one has them.
ParameterCounts parameter_counts(const Transformer& shape, std::uint32_t layer);

/// Of the whole model, as its authors publish it; and those that a token goes through.
std::uint64_t parameter_count(const Transformer& shape);
std::uint64_t active_parameter_count(const Transformer& shape);

/// Arithmetic of one sequence, forward and backward, that the model needs: recomputation does not
/// count, and of attention the full square does (as in Narayanan et al., 2021).
double model_flops(const Transformer& shape);

/// Of the forward pass of block `layer`, one sequence; what of it are attention's two products of
/// scores; and what is the block's last product.
struct BlockFlops {
  double forward = 0;
  double scores = 0;
  double last = 0;
};
BlockFlops block_flops(const Transformer& shape, std::uint32_t layer);

/// Bytes of an activation's element: 4 for fp32, else 2.
Bytes element_size(const Transformer& shape);

}  // namespace stepcast
