#pragma once
// The tensors of a model, as its family lists them, and how many numbers they have.

#include <array>
#include <cstdint>
#include <span>

#include "models/workload/transformer/transformer.hpp"

namespace stepcast {

/// A size of which tensors are made.
enum class TensorSize : std::uint8_t {
  One,
  Hidden,
  Queries,      ///< Query numbers of all heads.
  KeyValues,    ///< Key numbers of all key-value heads; as many values.
  HeadSize,     ///< Numbers of one head.
  Heads,        ///< Query heads.
  KeyHeads,     ///< Key-value heads.
  Inner,        ///< Inner size of an MLP without experts.
  ExpertInner,  ///< Inner size of one expert.
  SharedInner,  ///< Inner size of all shared experts.
  Experts,
  Vocabulary,
  Classes,
  Positions,   ///< Rows of learned positions.
  TokenTypes,  ///< Rows of token types.
  Embedded,    ///< Numbers of a word, where these are not the hidden size.
  Patch,       ///< Numbers of a patch of an image.
  Taps,        ///< Taps of a convolution.
  States,      ///< Numbers of state of a channel, or of all groups of channels.
  StateRank,   ///< Numbers of which time steps are made.
  Buckets,     ///< Distances between tokens, a score of each for every head (T5).
  Count,
};

using TensorSizes = std::array<std::uint64_t, static_cast<std::size_t>(TensorSize::Count)>;

/// As files name them, in order.
inline constexpr std::array kTensorSizes{
    "one",       "hidden",     "queries",      "key_values",   "head_size", "heads",
    "key_heads", "inner",      "expert_inner", "shared_inner", "experts",   "vocabulary",
    "classes",   "positions",  "token_types",  "embedded",     "patch",     "taps",
    "states",    "state_rank", "buckets"};

/// Where a tensor lies.
enum class TensorPart : std::uint8_t {
  Embedding,    ///< Before the first block.
  Block,        ///< In every block.
  DenseBlock,   ///< In every block without experts.
  SparseBlock,  ///< In every block with experts, once.
  Expert,       ///< In every expert.
  Head,         ///< After the last block.
};

inline constexpr std::array kTensorParts{"embedding",    "block",  "dense_block",
                                         "sparse_block", "expert", "head"};

/// `count` tensors of rows x columns.
struct Tensor {
  TensorPart part = TensorPart::Block;
  TensorSize rows = TensorSize::One;
  TensorSize columns = TensorSize::One;
  std::uint32_t count = 1;
};

/// Numbers of a model's tensors, by part.
struct CountedParts {
  std::uint64_t embedding = 0;
  std::uint64_t dense_block = 0;
  std::uint64_t sparse_block = 0;
  std::uint64_t expert = 0;
  std::uint64_t head = 0;

  void add(std::span<const Tensor> tensors, const TensorSizes& sizes);
};

/// Fills in the sizes that follow from a shape, but for those that are set already.
void fill_sizes(TensorSizes& sizes, const Transformer& shape);

/// Writes into the shape what was counted, where its sizes alone give another number.
void set_counted(Transformer& shape, const CountedParts& counted);

}  // namespace stepcast
