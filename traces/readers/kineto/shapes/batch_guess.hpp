#pragma once

#include <string>

#include "traces/readers/kineto/shapes/input_shapes.hpp"

namespace stepcast {

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
