#pragma once

#include <string>

#include "models/workload/architecture.hpp"
#include "models/workload/workload.hpp"

namespace stepcast {

/// A workload with the gradients of an architecture, and how they were joined, in a sentence.
struct SuppliedGradients {
  Workload workload;
  std::string how;
};

/// The workload with the tensors of the architecture instead of its own. Of each kind of layer
/// (convolution, linear, normalisation, embedding) of which both have as many, the n-th takes those
/// of the n-th; others go to the layer of the module before. Where no kind agrees, a module goes to
/// the layer at its share of the multiply-accumulates in the time of the forward pass. Elements are
/// of `type`.
SuppliedGradients with_gradients_of(const Architecture& architecture, Workload workload,
                                    DataType type);

}  // namespace stepcast
