#include "traces/readers/kineto/shapes/input_shapes.hpp"

#include <algorithm>
#include <array>
#include <optional>

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

}  // namespace stepcast
