#pragma once

#include <string>
#include <vector>

#include "models/schedule/passes.hpp"

namespace stepcast {

/// The forward pass of a schedule without a global barrier: each layer with parameters is updated
/// right before its own forward pass, as soon as its gradients have come back.
struct GatedForward {
  std::vector<TaskId> updates;  ///< By layer; kNone without parameters.
};
GatedForward gated_forward_pass(Builder& builder);

/// The backward pass with `per_tensor` of host work on the compute stream for every gradient that a
/// layer hands over. Indexed by layer: the task that makes the layer's gradients ready.
std::vector<TaskId> backward_pass_with_hooks(Builder& builder, Seconds per_tensor);

}  // namespace stepcast
