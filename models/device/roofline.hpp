#pragma once
// How long the kernels of a layer take at best on a device: the roofline model (Williams et al.,
// 2009). Only the proportions between layers are meant to be used; real kernels reach a part of it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/device/device_spec.hpp"

namespace stepcast {

/// The kernels that a layer runs, named as PyTorch names its modules.
enum class LayerKind : std::uint8_t {
  Conv2d,
  Linear,
  TiedLinear,  ///< A Linear whose weight belongs to another layer; it owns at most a bias.
  BatchNorm2d,
  LayerNorm,
  Embedding,
  Elementwise,  ///< Only passes over memory: activation, pooling, concatenation.
};

std::string name_of(LayerKind kind);
std::optional<LayerKind> find_layer_kind(std::string_view name);
std::vector<std::string> layer_kind_names();

/// How often kernels bound by memory read or write an activation once. May be fractional: a pooling
/// that halves both sides reads 1 and writes 0.25.
struct MemoryPasses {
  double forward = 0;
  double backward = 0;
};

/// What one layer does in one mini-batch.
struct LayerWork {
  LayerKind kind = LayerKind::Elementwise;
  Flops product{};  ///< Forward product with the layer's own weight.
  Flops
      extra_product{};  ///< Forward products without a weight of its own (attention, tied weight).
  Bytes input{};
  Bytes output{};
  Bytes parameters{};
  MemoryPasses elementwise;          ///< Operations without parameters that run with the layer.
  bool needs_input_gradient = true;  ///< False for the first layer of a network.
};

/// Passes over its output that a kind makes itself, without what is counted as elementwise.
/// BatchNorm2d forward: read for the statistics; read and write to normalise. Backward: read input
/// and output gradient to reduce; read both and write the input gradient.
/// LayerNorm forward: read (a row stays in cache), write. Backward: read input and output gradient
/// for the parameters' gradients; read both and write for the input gradient.
/// Embedding forward: read the rows, write. Backward: read the output gradient, read and write the
/// rows of the weight's gradient (which is filled with zeros before: one more write of it).
MemoryPasses own_passes(LayerKind kind);

/// The longer of arithmetic and memory traffic.
Seconds roofline_time(Flops work, Bytes traffic, const DeviceSpec& device);

/// Products move input, output and parameters once. Other kernels are bound by memory.
Seconds forward_roofline(const LayerWork& work, const DeviceSpec& device);

/// A product runs twice, for the input's and for the weight's gradient, each as long as forward;
/// once if no input gradient is needed. Excludes the weight update.
Seconds backward_roofline(const LayerWork& work, const DeviceSpec& device);

}  // namespace stepcast
