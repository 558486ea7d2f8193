#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/provenance.hpp"
#include "models/device/roofline.hpp"
#include "models/workload/workload.hpp"

namespace stepcast {

/// One module of a network: its tensors and its work for one sample, without any time.
struct ArchitectureLayer {
  std::string name;
  LayerKind kind = LayerKind::Elementwise;
  std::vector<Parameter> parameters;  ///< May be empty.
  double macs = 0;                    ///< Forward multiply-accumulates with the layer's own weight.
  double extra_macs = 0;       ///< Forward multiply-accumulates with none (attention, tied weight).
  double input_elements = 0;   ///< Read by the layer.
  double output_elements = 0;  ///< Written by the layer.
  MemoryPasses elementwise_passes;  ///< Over the output, by operations without parameters.
};

/// A network as its public definition has it; derive_workload gives it times.
struct Architecture {
  std::string name;  ///< "resnet50".
  Provenance provenance;
  std::vector<ArchitectureLayer> layers;  ///< In the order in which they run forward; never empty.
};

std::uint64_t parameter_count(const Architecture& architecture);
std::size_t tensor_count(const Architecture& architecture);
double macs(const Architecture& architecture);  ///< Per sample, with own weights only.

/// Throws InputError naming the layer and the field if there are no layers, a number is negative or
/// not finite, or a convolution or linear layer has no multiply-accumulates.
void check_architecture(const Architecture& architecture);

/// The Kronecker factors of a convolution or linear layer with a weight of its own in a mini-batch
/// of `batch` samples: rows = batch * macs / weight, g = outputs per row, a = weight / g, and one
/// more with a bias. None for other layers, and where these are no whole numbers.
std::optional<KroneckerFactors> kronecker_of(const ArchitectureLayer& layer, std::uint32_t batch);

/// What layer `id` does in a mini-batch of `batch` samples in fp32. Layer 0 needs no input
/// gradient.
LayerWork work_of(const Architecture& architecture, LayerId id, std::uint32_t batch);

}  // namespace stepcast
