#include <utility>

#include "traces/formats/huggingface/model_family.hpp"

namespace stepcast {

void CountedParts::add(std::span<const Tensor> tensors, const TensorSizes& sizes) {
  const auto size = [&](TensorSize each) { return sizes.at(static_cast<std::size_t>(each)); };
  for (const Tensor& tensor : tensors) {
    const std::uint64_t numbers = size(tensor.rows) * size(tensor.columns) * tensor.count;
    switch (tensor.part) {
      case TensorPart::Embedding:
        embedding += numbers;
        break;
      case TensorPart::Block:
        dense_block += numbers;
        sparse_block += numbers;
        break;
      case TensorPart::DenseBlock:
        dense_block += numbers;
        break;
      case TensorPart::SparseBlock:
        sparse_block += numbers;
        break;
      case TensorPart::Expert:
        expert += numbers;
        break;
      case TensorPart::Head:
        head += numbers;
        break;
    }
  }
}

void fill_sizes(TensorSizes& sizes, const Transformer& shape) {
  const std::uint64_t ffn = shape.ffn;
  const std::initializer_list<std::pair<TensorSize, std::uint64_t>> of_shape{
      {TensorSize::One, 1},
      {TensorSize::Hidden, shape.hidden},
      {TensorSize::Queries, shape.attention_size()},
      {TensorSize::KeyValues, shape.kv_size()},
      {TensorSize::HeadSize, shape.head_size()},
      {TensorSize::Heads, shape.heads},
      {TensorSize::KeyHeads, shape.kv_heads},
      {TensorSize::Inner, shape.has_experts() ? shape.dense_ffn : ffn},
      {TensorSize::ExpertInner, ffn},
      {TensorSize::SharedInner, ffn * shape.shared_experts},
      {TensorSize::Experts, shape.experts},
      {TensorSize::Vocabulary, shape.vocab},
      {TensorSize::Classes, shape.vocab},
      {TensorSize::Positions, shape.seq},
      {TensorSize::TokenTypes, shape.segments},
      {TensorSize::Embedded, shape.hidden},
      {TensorSize::Patch, shape.patch},
      {TensorSize::States, shape.state},
      {TensorSize::StateRank, shape.state_rank}};
  for (const auto& [size, value] : of_shape)
    if (std::uint64_t& entry = sizes.at(static_cast<std::size_t>(size)); entry == 0)
      entry = value;
}

void set_counted(Transformer& shape, const CountedParts& counted) {
  const ParameterCounts first = parameter_counts(shape, 0);
  const ParameterCounts last = parameter_counts(shape, shape.layers - 1);
  const auto set = [](std::optional<std::uint64_t>& field, std::uint64_t value,
                      std::uint64_t by_sizes) {
    if (value != by_sizes)
      field = value;
  };
  if (first.expert == 0)
    set(shape.block_parameters, counted.dense_block, first.attention + first.mlp);
  if (last.expert > 0) {
    set(shape.sparse_parameters, counted.sparse_block, last.attention + last.mlp);
    set(shape.expert_parameters, counted.expert, last.expert);
  }
  set(shape.embedding_parameters, counted.embedding, first.embedding);
  set(shape.head_parameters, counted.head, first.head);
}

}  // namespace stepcast
