#include "traces/formats/kineto/shapes/input_shapes.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace stepcast {

namespace {

using Shape = InputShapes::Shape;

constexpr double kLargestExtent = 1U << 30;

struct ShapedOperator {
  std::string_view name;
  ShapeUse use;
  std::size_t input;   ///< Which of its inputs.
  std::size_t length;  ///< Of Attention: the dimension that runs over the sequence.
};

const ShapedOperator* find_operator(std::string_view name) {
  using enum ShapeUse;
  static const std::array<ShapedOperator, 23> operators = {{
      {"aten::conv1d", Layer, 0, 0},
      {"aten::conv2d", Layer, 0, 0},
      {"aten::conv3d", Layer, 0, 0},
      {"aten::conv_transpose1d", Layer, 0, 0},
      {"aten::conv_transpose2d", Layer, 0, 0},
      {"aten::conv_transpose3d", Layer, 0, 0},
      {"aten::linear", Layer, 0, 0},
      {"_Linear", Layer, 0, 0},
      {"_LayerNormLinear", Layer, 0, 0},
      {"LinearWithGradAccumulationAndAsyncCommunication", Layer, 0, 0},
      {"aten::convolution", Kernel, 0, 0},
      {"aten::cudnn_convolution", Kernel, 0, 0},
      {"aten::miopen_convolution", Kernel, 0, 0},
      {"aten::addmm", Kernel, 1, 0},
      {"aten::embedding", Attention, 1, 1},
      {"aten::scaled_dot_product_attention", Attention, 0, 2},
      {"aten::_scaled_dot_product_flash_attention", Attention, 0, 2},
      {"aten::_scaled_dot_product_efficient_attention", Attention, 0, 2},
      {"aten::_scaled_dot_product_cudnn_attention", Attention, 0, 2},
      {"flash_attn::_flash_attn_forward", Attention, 0, 1},
      {"aten::_flash_attention_forward", Attention, 0, 1},
      {"aten::_efficient_attention_forward", Attention, 0, 1},
      {"FlashAttnFunc", Attention, 0, 1},
  }};
  const auto* const found = std::ranges::find(operators, name, &ShapedOperator::name);
  return found == operators.end() ? nullptr : found;
}

/// Whole and neither zero nor huge in every dimension.
std::optional<Shape> shape_of(const std::vector<double>& extents) {
  Shape shape;
  for (const double extent : extents) {
    if (!(extent >= 1 && extent <= kLargestExtent))
      return std::nullopt;
    shape.push_back(static_cast<std::uint32_t>(extent));
  }
  return shape;
}

}  // namespace

void InputShapes::add(std::string_view name, const std::vector<std::vector<double>>& inputs) {
  const ShapedOperator* const op = find_operator(name);
  if (op == nullptr || op->input >= inputs.size())
    return;
  const std::optional<Shape> shape = shape_of(inputs[op->input]);
  if (!shape || shape->size() < 2)
    return;
  switch (op->use) {
    case ShapeUse::Layer:
      ++layers[*shape];
      return;
    case ShapeUse::Kernel:
      ++kernels[*shape];
      return;
    case ShapeUse::Attention: {
      constexpr std::size_t kAttention = 4;  // Dimensions; an embedding's indices have two.
      const std::size_t expected = op->input == 0 ? kAttention : 2;
      if (shape->size() == expected)
        ++sequences[{shape->front(), (*shape)[op->length]}];
      return;
    }
  }
}

namespace {

using Shape = InputShapes::Shape;
using Counts = std::map<Shape, std::uint64_t>;

/// Of two as common, the larger: an input of one row more likely is not the model's.
std::pair<std::uint32_t, std::uint64_t> commonest_leading(const Counts& shapes) {
  std::map<std::uint32_t, std::uint64_t> votes;
  for (const auto& [shape, count] : shapes)
    votes[shape.front()] += count;
  const auto rank = [](const auto& entry) { return std::pair(entry.second, entry.first); };
  return *std::ranges::max_element(votes, {}, rank);
}

std::uint64_t total_of(const Counts& shapes) {
  std::uint64_t total = 0;
  for (const auto& [shape, count] : shapes)
    total += count;
  return total;
}

bool has_front(const Counts& shapes, std::uint32_t first, std::uint32_t second) {
  return std::ranges::any_of(shapes, [&](const auto& entry) {
    const Shape& shape = entry.first;
    return shape.size() > 2 && shape[0] == first && shape[1] == second;
  });
}

bool has_rows(const Counts& shapes, std::uint32_t rows) {
  return std::ranges::any_of(shapes, [&](const auto& entry) {
    return entry.first.size() == 2 && entry.first.front() == rows;
  });
}

/// The batch of the sequences that a leading dimension other than a batch comes from; 0: none.
std::uint32_t batch_behind(std::uint32_t leading, const Counts& shapes, const Counts& sequences,
                           std::string& how) {
  std::uint32_t batch = 0;
  std::uint64_t most = 0;
  for (const auto& [sequence, count] : sequences) {
    const std::uint32_t samples = sequence[0];
    const std::uint32_t length = sequence[1];
    if (samples == leading)
      return 0;
    const bool length_first = leading == length && has_front(shapes, length, samples);
    const bool flat = std::uint64_t{samples} * length == leading && has_rows(shapes, leading);
    if ((!length_first && !flat) || count <= most)
      continue;
    most = count;
    batch = samples;
    how = length_first ? fmt::format("the length of sequences, of which there are {}", samples)
                       : fmt::format("{} sequences of {}", samples, length);
  }
  return batch;
}

}  // namespace

BatchGuess guess_batch(const InputShapes& shapes) {
  const bool by_layers = !shapes.layers.empty();
  const Counts& counts = by_layers ? shapes.layers : shapes.kernels;
  if (counts.empty())
    return {.evidence = "no shapes of inputs of convolutions or linear layers are recorded"};
  const auto [leading, votes] = commonest_leading(counts);
  const std::uint64_t total = total_of(counts);
  BatchGuess guess{
      .batch = leading,
      .evidence = fmt::format(
          "{} is the leading dimension of {} of {} inputs of {}", leading, votes, total,
          by_layers ? "convolutions and linear layers" : "convolution and matrix kernels"),
      .split = 2 * votes < total};
  std::string how;
  if (const auto batch = batch_behind(leading, counts, shapes.sequences, how); batch > 0) {
    guess.batch = batch;
    guess.evidence += ": " + how;
  }
  return guess;
}

}  // namespace stepcast
