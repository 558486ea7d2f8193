#include "models/workload/architecture.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

constexpr double kElementSize = 4;  // fp32

std::uint64_t element_count(const ArchitectureLayer& layer) {
  return std::accumulate(layer.parameters.begin(), layer.parameters.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Parameter& p) { return sum + p.elements; });
}

[[noreturn]] void refuse(const ArchitectureLayer& layer, const std::string& message) {
  throw InputError(fmt::format("layer \"{}\" ({}): {}", layer.name, name_of(layer.kind), message));
}

void check_number(const ArchitectureLayer& layer, const char* field, double value) {
  if (!std::isfinite(value) || value < 0)
    refuse(layer, fmt::format("{}: expected a finite number >= 0, found {}", field, value));
}

void check_has_macs(const ArchitectureLayer& layer) {
  const bool product = layer.kind == LayerKind::Conv2d || layer.kind == LayerKind::Linear;
  if (product && layer.macs <= 0)
    refuse(layer, fmt::format("macs: expected a number above 0, found {}", layer.macs));
  if (layer.kind == LayerKind::TiedLinear && layer.extra_macs <= 0)
    refuse(layer, fmt::format("extra_macs: expected a number above 0, found {}", layer.extra_macs));
}

void check_layer(const ArchitectureLayer& layer) {
  check_number(layer, "macs", layer.macs);
  check_number(layer, "extra_macs", layer.extra_macs);
  check_number(layer, "input_elements", layer.input_elements);
  check_number(layer, "output_elements", layer.output_elements);
  check_number(layer, "elementwise_passes/forward", layer.elementwise_passes.forward);
  check_number(layer, "elementwise_passes/backward", layer.elementwise_passes.backward);
  check_has_macs(layer);
}

/// Elements of the parameter of that name; 0 without it.
std::uint64_t elements_of(const ArchitectureLayer& layer, std::string_view name) {
  const auto found = std::ranges::find(layer.parameters, name, &Parameter::name);
  return found == layer.parameters.end() ? 0 : found->elements;
}

bool is_count(double value) {
  return value >= 1 && value == std::floor(value);
}

}  // namespace

std::uint64_t parameter_count(const Architecture& architecture) {
  std::uint64_t count = 0;
  for (const ArchitectureLayer& layer : architecture.layers)
    count += element_count(layer);
  return count;
}

std::size_t tensor_count(const Architecture& architecture) {
  std::size_t count = 0;
  for (const ArchitectureLayer& layer : architecture.layers)
    count += layer.parameters.size();
  return count;
}

double macs(const Architecture& architecture) {
  double sum = 0;
  for (const ArchitectureLayer& layer : architecture.layers)
    sum += layer.macs;
  return sum;
}

void check_architecture(const Architecture& architecture) {
  if (architecture.layers.empty())
    throw InputError("layers: expected at least one layer, found none");
  for (const ArchitectureLayer& layer : architecture.layers)
    check_layer(layer);
}

std::optional<KroneckerFactors> kronecker_of(const ArchitectureLayer& layer, std::uint32_t batch) {
  const auto weight = static_cast<double>(elements_of(layer, "weight"));
  const bool product = layer.kind == LayerKind::Conv2d || layer.kind == LayerKind::Linear;
  if (!product || weight == 0)
    return std::nullopt;
  const double rows = layer.macs / weight;
  const double g = layer.output_elements / rows;
  const double a = weight / g;
  if (!is_count(rows) || !is_count(g) || !is_count(a))
    return std::nullopt;
  const std::uint32_t bias = elements_of(layer, "bias") > 0 ? 1 : 0;
  return KroneckerFactors{.a = static_cast<std::uint32_t>(a) + bias,
                          .g = static_cast<std::uint32_t>(g),
                          .rows = static_cast<std::uint64_t>(rows) * batch};
}

LayerWork work_of(const Architecture& architecture, LayerId id, std::uint32_t batch) {
  const ArchitectureLayer& layer = architecture.layers.at(id);
  const double samples = batch;
  return {.kind = layer.kind,
          .product = {2 * layer.macs * samples},
          .extra_product = {2 * layer.extra_macs * samples},
          .input = {kElementSize * layer.input_elements * samples},
          .output = {kElementSize * layer.output_elements * samples},
          .parameters = {kElementSize * static_cast<double>(element_count(layer))},
          .elementwise = layer.elementwise_passes,
          .needs_input_gradient = id != 0};
}

}  // namespace stepcast
