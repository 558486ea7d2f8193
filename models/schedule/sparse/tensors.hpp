#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/schedule/options.hpp"
#include "models/schedule/passes.hpp"

namespace stepcast::sparse {

/// Gradients that are compressed and communicated together, in the order in which they become
/// ready.
struct Tensor {
  std::string label;
  std::vector<Gradient> gradients;
  double elements = 0;
  LayerId last_ready = 0;  ///< The layer whose backward pass makes the last of them ready.
};

/// As the options `fusion` and `fusion_buffer` say: the gradients of a layer, of the whole model,
/// or of consecutive layers, closed when they reach the buffer's size.
std::vector<Tensor> fused_tensors(const Workload& workload, const OptionReader& read);

/// The gradients of `layers_each[i]` consecutive layers with parameters (backward order) together.
std::vector<Tensor> tensors_of_layers(const Workload& workload,
                                      std::span<const std::size_t> layers_each);

/// Elements to select: a part of the tensor, rounded, at least one.
double selected_of(double density, double elements);

/// Each rank owns a shard. The tensor and the selection are padded, so that all shards have the
/// same number of elements and of selected entries: ceil(d / n), even where n exceeds d.
double shard_of(double elements, std::uint32_t ranks);

}  // namespace stepcast::sparse
