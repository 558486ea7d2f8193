#include "models/workload/transformer/transformer.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

using Count = std::uint64_t;

void require_divisor(const char* name, Count value, const char* of_name, Count of) {
  if (value == 0 || of % value != 0)
    throw InputError(
        fmt::format("{}: expected a divisor of {} ({}), found {}", name, of_name, of, value));
}

void require_positive(const char* name, Count value) {
  if (value == 0)
    throw InputError(fmt::format("{}: expected a whole number of at least 1, found 0", name));
}

// Weights and biases of an MLP of inner size f.
Count mlp_count(const Transformer& shape, Count f) {
  const Count h = shape.hidden;
  return shape.gated ? 3 * h * f : 2 * h * f + f + h;
}

// RMS norms have a scale, layer norms a shift too.
Count norm_count(const Transformer& shape) {
  return (shape.gated ? 1ULL : 2ULL) * shape.hidden;
}

// Matrices of attention, and what of them every rank of a tensor group holds: the way down to
// latent numbers.
struct AttentionMatrices {
  Count all = 0;
  Count copied = 0;
};

AttentionMatrices attention_matrices(const Transformer& shape) {
  const Count h = shape.hidden;
  const Count out = Count{shape.attention_size()} * h;
  if (!shape.is_latent())
    return {.all = h * (shape.attention_size() + 2ULL * shape.kv_size()) + out};
  const Count queries = Count{shape.heads} * shape.score_size();
  const Count down = h * (shape.q_rank + shape.kv_rank + shape.rope_dim);
  const Count up = queries * (shape.q_rank > 0 ? shape.q_rank : h) +
                   2ULL * shape.kv_rank * shape.attention_size();
  return {.all = down + up + out, .copied = down};
}

// Biases of queries, keys, values and of what comes out.
Count attention_biases(const Transformer& shape) {
  return shape.gated || shape.is_latent()
             ? 0
             : shape.attention_size() + 2ULL * shape.kv_size() + shape.hidden;
}

// Of a block, in the order of their use: before attention, and of latent numbers.
Count attention_norms(const Transformer& shape) {
  return norm_count(shape) + shape.q_rank + shape.kv_rank;
}

Count embedding_count(const Transformer& shape) {
  const Count h = shape.hidden;
  const Count tokens = shape.sees_images() ? h * shape.patch + 2 * h  // bias, and the class's token
                                           : h * shape.vocab;
  return tokens + h * shape.segments + (shape.learned_positions ? h * shape.seq : 0);
}

Count head_count(const Transformer& shape) {
  const Count h = shape.hidden;
  return norm_count(shape) + (shape.tied ? 0 : h * shape.vocab) +
         (shape.sees_images() ? shape.vocab : 0) + (shape.pooler ? h * h + h : 0);
}

void check_attention(const Transformer& shape) {
  if (shape.head_dim == 0)
    require_divisor("heads", shape.heads, "hidden", shape.hidden);
  require_positive("heads", shape.heads);
  require_divisor("kv_heads", shape.kv_heads, "heads", shape.heads);
  if (shape.is_latent() && shape.kv_heads != shape.heads)
    throw InputError(
        fmt::format("kv_heads: expected as many as heads ({}) beside kv_rank, found {}",
                    shape.heads, shape.kv_heads));
  for (const auto& [name, value] :
       {std::pair{"q_rank", shape.q_rank}, {"rope_dim", shape.rope_dim}})
    if (value > 0 && !shape.is_latent())
      throw InputError(
          fmt::format("{}: expected kv_rank beside it: it is of latent attention", name));
}

}  // namespace

void check_transformer(const Transformer& shape) {
  require_positive("layers", shape.layers);
  constexpr Count kMostLayers = 10'000;  // Ten times the deepest that was trained.
  if (shape.layers > kMostLayers)
    throw InputError(
        fmt::format("layers: expected at most {}, found {}", kMostLayers, shape.layers));
  require_positive("hidden", shape.hidden);
  require_positive("ffn", shape.ffn);
  require_positive("seq", shape.seq);
  require_positive("vocab", shape.vocab);
  require_positive("experts", shape.experts);
  check_attention(shape);
  if (shape.sees_images() && shape.tied)
    throw InputError("tied: expected no beside patch: classes are no words");
  if (shape.top_k == 0 || shape.top_k > shape.experts)
    throw InputError(
        fmt::format("top_k: expected 1 to experts ({}), found {}", shape.experts, shape.top_k));
}

namespace {

// What the sizes of a shape give, by formula.
ParameterCounts counts_by_sizes(const Transformer& shape, std::uint32_t layer) {
  const Count h = shape.hidden;
  const AttentionMatrices matrices = attention_matrices(shape);
  ParameterCounts counts{
      .attention = matrices.all + attention_biases(shape) + attention_norms(shape),
      .copied = matrices.copied + attention_norms(shape) + norm_count(shape),
      .embedding = embedding_count(shape),
      .head = head_count(shape)};
  if (!shape.has_experts()) {
    counts.mlp = mlp_count(shape, shape.ffn) + norm_count(shape);
  } else if (layer < shape.dense_layers) {
    counts.mlp = mlp_count(shape, shape.dense_ffn) + norm_count(shape);
  } else {
    counts.expert = mlp_count(shape, shape.ffn);
    counts.mlp = norm_count(shape) + h * shape.experts + shape.shared_experts * counts.expert;
    counts.copied += h * shape.experts;
  }
  return counts;
}

// A block has `total` parameters. Those that its sizes do not tell are biases and norms: every rank
// of a tensor group is taken to hold them.
void set_block(ParameterCounts& counts, Count total) {
  const Count by_sizes = counts.attention + counts.mlp;
  counts.copied += total > by_sizes ? total - by_sizes : 0;
  counts.copied = std::min(counts.copied, total);
  counts.attention = std::min(counts.attention, total);
  counts.mlp = total - counts.attention;
}

}  // namespace

ParameterCounts parameter_counts(const Transformer& shape, std::uint32_t layer) {
  ParameterCounts counts = counts_by_sizes(shape, layer);
  if (const auto& block = counts.expert > 0 ? shape.sparse_parameters : shape.block_parameters)
    set_block(counts, *block);
  if (counts.expert > 0)
    counts.expert = shape.expert_parameters.value_or(counts.expert);
  if (shape.shared_blocks && layer > 0)
    counts.attention = counts.mlp = counts.copied = counts.expert = 0;
  counts.embedding = shape.embedding_parameters.value_or(counts.embedding);
  counts.head = shape.head_parameters.value_or(counts.head);
  return counts;
}

namespace {

// With so many experts of each block that has some.
Count parameters_with(const Transformer& shape, std::uint32_t experts) {
  const ParameterCounts ends = parameter_counts(shape, 0);
  Count sum = ends.embedding + ends.head;
  for (std::uint32_t layer = 0; layer < shape.layers; ++layer) {
    const ParameterCounts block = parameter_counts(shape, layer);
    sum += block.attention + block.mlp + block.expert * (block.expert > 0 ? experts : 0);
  }
  return sum;
}

}  // namespace

std::uint64_t parameter_count(const Transformer& shape) {
  return parameters_with(shape, shape.experts);
}

std::uint64_t active_parameter_count(const Transformer& shape) {
  return parameters_with(shape, shape.top_k);
}

BlockFlops block_flops(const Transformer& shape, std::uint32_t layer) {
  const double h = shape.hidden;
  const double s = shape.seq;
  const double matrices = shape.gated ? 3 : 2;
  const bool dense = !shape.has_experts() || layer < shape.dense_layers;
  const double f = !shape.has_experts() ? shape.ffn
                   : dense              ? shape.dense_ffn
                           : static_cast<double>(shape.ffn) * (shape.top_k + shape.shared_experts);
  const double scores = 2 * s * s * shape.heads * (shape.score_size() + shape.head_size());
  return {.forward = 2 * s * static_cast<double>(attention_matrices(shape).all) + scores +
                     2 * s * h * f * matrices + (dense ? 0 : 2 * s * h * shape.experts),
          .scores = scores,
          .last = 2 * s * h * f};
}

// Of an image one token is classified, and nothing goes back into it.
double model_flops(const Transformer& shape) {
  double forward = 2.0 * shape.hidden * shape.vocab * (shape.sees_images() ? 1 : shape.seq);
  forward += 2.0 / 3 * (2.0 * shape.seq * shape.hidden * shape.patch);
  for (std::uint32_t layer = 0; layer < shape.layers; ++layer)
    forward += block_flops(shape, layer).forward;
  return 3 * forward;
}

Bytes element_size(const Transformer& shape) {
  return shape.precision == "fp32" ? Bytes{4} : Bytes{2};
}

}  // namespace stepcast
