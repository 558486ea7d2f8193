#include "models/schedule/sparse/tensors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace stepcast::sparse {
namespace {

/// Hands out gradients layer by layer, in the order in which they become ready.
class ReadyGradients {
 public:
  explicit ReadyGradients(const Workload& workload)
      : gradients_(gradients_in_ready_order(workload)), next_(gradients_.begin()) {}

  /// Adds those of a layer. Precondition: layers come from the last to the first.
  void add_to(Tensor& tensor, LayerId layer) {
    for (; next_ != gradients_.end() && next_->layer == layer; ++next_) {
      tensor.elements += static_cast<double>(next_->elements);
      tensor.gradients.push_back(std::move(*next_));
    }
    tensor.last_ready = layer;
  }

 private:
  std::vector<Gradient> gradients_;
  std::vector<Gradient>::iterator next_;
};

void name_tensors(std::vector<Tensor>& tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i)
    tensors[i].label = tensors.size() == 1 ? "all gradients" : fmt::format("group {}", i);
}

Bytes size_of(const Tensor& tensor) {
  Bytes size{};
  for (const Gradient& gradient : tensor.gradients)
    size += gradient.size;
  return size;
}

std::vector<LayerId> layers_with_parameters(const Workload& workload) {
  std::vector<LayerId> layers;
  for (auto layer = static_cast<LayerId>(workload.layers.size()); layer-- > 0;)
    if (!workload.layers[layer].parameters.empty())
      layers.push_back(layer);
  return layers;
}

Bytes limit_of(const OptionReader& read) {
  if (read.is("fusion", "layer"))
    return {};
  return read.is("fusion", "model") ? Bytes{std::numeric_limits<double>::infinity()}
                                    : read.size("fusion_buffer");
}

}  // namespace

std::vector<Tensor> fused_tensors(const Workload& workload, const OptionReader& read) {
  const Bytes limit = limit_of(read);
  ReadyGradients gradients(workload);
  std::vector<Tensor> tensors;
  for (const LayerId layer : layers_with_parameters(workload)) {
    if (tensors.empty() || size_of(tensors.back()) >= limit)
      tensors.emplace_back();
    gradients.add_to(tensors.back(), layer);
  }
  name_tensors(tensors);
  return tensors;
}

std::vector<Tensor> tensors_of_layers(const Workload& workload,
                                      std::span<const std::size_t> layers_each) {
  ReadyGradients gradients(workload);
  const std::vector<LayerId> layers = layers_with_parameters(workload);
  std::vector<Tensor> tensors;
  auto layer = layers.begin();
  for (const std::size_t count : layers_each) {
    Tensor& tensor = tensors.emplace_back();
    for (std::size_t i = 0; i < count; ++i)
      gradients.add_to(tensor, *layer++);
  }
  name_tensors(tensors);
  return tensors;
}

double selected_of(double density, double elements) {
  return std::max(1.0, std::round(density * elements));
}

double shard_of(double elements, std::uint32_t ranks) {
  return std::ceil(elements / ranks);
}

}  // namespace stepcast::sparse
