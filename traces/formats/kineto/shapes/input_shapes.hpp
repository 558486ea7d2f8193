#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "traces/formats/chrome_json/chrome_events.hpp"

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

/// The samples of a step as far as a trace tells.
struct BatchGuess {
  std::uint32_t batch = 0;  ///< 0: the trace does not tell.
  std::string evidence;     ///< What says so, or why nothing does.
  bool split = false;       ///< Less than half of the inputs have this leading dimension.
};

/// The commonest leading dimension of the inputs of convolutions and linear layers; where the
/// model's own calls were not recorded, of the kernels below them.
///
/// The inputs of a transformer's layers may be sequence x batch x width, or batch times sequence x
/// width. So a leading dimension that is a recorded sequence's length beside its batch, or the
/// product of both, stands for that batch.
BatchGuess guess_batch(const InputShapes& shapes);

}  // namespace stepcast
