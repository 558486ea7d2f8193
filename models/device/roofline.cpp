#include "models/device/roofline.hpp"

#include <algorithm>
#include <array>

#include "models/base/enum_name.hpp"

namespace stepcast {
namespace {

// In the order of the enum.
constexpr std::array kNames{"Conv2d",    "Linear",    "TiedLinear", "BatchNorm2d",
                            "LayerNorm", "Embedding", "Elementwise"};
static_assert(kNames.size() == static_cast<std::size_t>(LayerKind::Elementwise) + 1);

/// Forward time of the product with the layer's own weight; zero for layers without one.
Seconds product_time(const LayerWork& work, const DeviceSpec& device) {
  if (work.product == Flops{})
    return {};
  return roofline_time(work.product, work.input + work.output + work.parameters, device);
}

/// Forward time of the products without a weight of the layer's own; zero without any.
Seconds extra_product_time(const LayerWork& work, const DeviceSpec& device) {
  if (work.extra_product == Flops{})
    return {};
  return roofline_time(work.extra_product, work.input + work.output, device);
}

/// The optimiser needs the whole gradient of an embedding, so it starts as zeros.
Bytes zero_filled(const LayerWork& work) {
  return work.kind == LayerKind::Embedding ? work.parameters : Bytes{};
}

}  // namespace

std::string name_of(LayerKind kind) {
  return kNames.at(static_cast<std::size_t>(kind));
}

std::optional<LayerKind> find_layer_kind(std::string_view name) {
  return find_among<LayerKind>(kNames, name);
}

std::vector<std::string> layer_kind_names() {
  return {kNames.begin(), kNames.end()};
}

MemoryPasses own_passes(LayerKind kind) {
  switch (kind) {
    case LayerKind::BatchNorm2d:
      return {.forward = 3, .backward = 5};
    case LayerKind::LayerNorm:
      return {.forward = 2, .backward = 5};
    case LayerKind::Embedding:
      return {.forward = 2, .backward = 3};
    case LayerKind::Conv2d:
    case LayerKind::Linear:
    case LayerKind::TiedLinear:
    case LayerKind::Elementwise:
      return {};
  }
  return {};
}

Seconds roofline_time(Flops work, Bytes traffic, const DeviceSpec& device) {
  return std::max(work / device.peak_fp32, traffic / device.memory_bandwidth);
}

Seconds forward_roofline(const LayerWork& work, const DeviceSpec& device) {
  const double passes = own_passes(work.kind).forward + work.elementwise.forward;
  return product_time(work, device) + extra_product_time(work, device) +
         work.output * passes / device.memory_bandwidth;
}

Seconds backward_roofline(const LayerWork& work, const DeviceSpec& device) {
  const double products = work.needs_input_gradient ? 2 : 1;
  const double passes = own_passes(work.kind).backward + work.elementwise.backward;
  const Bytes traffic = work.output * passes + zero_filled(work);
  return product_time(work, device) * products + extra_product_time(work, device) * 2 +
         traffic / device.memory_bandwidth;
}

}  // namespace stepcast
