#include "models/workload/transformer/transformer.hpp"

#include <array>

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

Count attention_count(const Transformer& shape) {
  const Count h = shape.hidden;
  const Count qkv = h + 2ULL * shape.kv_size();
  return h * qkv + h * h + (shape.gated ? 0 : qkv + h) + norm_count(shape);
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
  require_divisor("heads", shape.heads, "hidden", shape.hidden);
  require_divisor("kv_heads", shape.kv_heads, "heads", shape.heads);
  if (shape.top_k == 0 || shape.top_k > shape.experts)
    throw InputError(
        fmt::format("top_k: expected 1 to experts ({}), found {}", shape.experts, shape.top_k));
}

ParameterCounts parameter_counts(const Transformer& shape, std::uint32_t layer) {
  ParameterCounts counts{.attention = attention_count(shape)};
  const Count h = shape.hidden;
  if (!shape.has_experts()) {
    counts.mlp = mlp_count(shape, shape.ffn) + norm_count(shape);
  } else if (layer < shape.dense_layers) {
    counts.mlp = mlp_count(shape, shape.dense_ffn) + norm_count(shape);
  } else {
    counts.expert = mlp_count(shape, shape.ffn);
    counts.mlp = norm_count(shape) + h * shape.experts + shape.shared_experts * counts.expert;
  }
  counts.embedding = h * shape.vocab + (shape.learned_positions ? h * shape.seq : 0);
  counts.head = norm_count(shape) + (shape.tied ? 0 : h * shape.vocab);
  return counts;
}

std::uint64_t parameter_count(const Transformer& shape) {
  const ParameterCounts ends = parameter_counts(shape, 0);
  Count sum = ends.embedding + ends.head;
  for (std::uint32_t layer = 0; layer < shape.layers; ++layer) {
    const ParameterCounts block = parameter_counts(shape, layer);
    sum += block.attention + block.mlp + block.expert * (block.expert > 0 ? shape.experts : 0);
  }
  return sum;
}

BlockFlops block_flops(const Transformer& shape, std::uint32_t layer) {
  const double h = shape.hidden;
  const double s = shape.seq;
  const double matrices = shape.gated ? 3 : 2;
  const bool dense = !shape.has_experts() || layer < shape.dense_layers;
  const double f = !shape.has_experts() ? shape.ffn
                   : dense              ? shape.dense_ffn
                           : static_cast<double>(shape.ffn) * (shape.top_k + shape.shared_experts);
  const double scores = 4 * s * s * h;
  return {.forward = 2 * s * h * (2 * h + 2.0 * shape.kv_size()) + scores +
                     2 * s * h * f * matrices + (dense ? 0 : 2 * s * h * shape.experts),
          .scores = scores,
          .last = 2 * s * h * f};
}

double model_flops(const Transformer& shape) {
  double forward = 2.0 * shape.seq * shape.hidden * shape.vocab;
  for (std::uint32_t layer = 0; layer < shape.layers; ++layer)
    forward += block_flops(shape, layer).forward;
  return 3 * forward;
}

Bytes element_size(const Transformer& shape) {
  return shape.precision == "fp32" ? Bytes{4} : Bytes{2};
}

}  // namespace stepcast
