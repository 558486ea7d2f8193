#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "traces/readers/chrome_json/chrome_events.hpp"

namespace stepcast {

/// What the shape of an operator's input says about the batch.
enum class ShapeUse : std::uint8_t {
  Layer,      ///< Of a convolution or a linear layer as the model calls it: batch x ...
  Kernel,     ///< Of what these are made of; backward passes call it too.
  Attention,  ///< Batch and sequence, see InputShapes::sequences.
};

/// Shapes of the operators whose inputs tell the batch, counted.
struct InputShapes {
  using Shape = std::vector<std::uint32_t>;

  std::map<Shape, std::uint64_t> layers;
  std::map<Shape, std::uint64_t> kernels;
  /// {batch, length} of the sequences that attention and token embeddings work on.
  std::map<Shape, std::uint64_t> sequences;

  /// Counts the shape if the operator is one of them. `inputs`: of its argument "Input Dims".
  void add(std::string_view name, const std::vector<std::vector<double>>& inputs);
};

}  // namespace stepcast
