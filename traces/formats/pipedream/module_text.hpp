#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/workload/workload.hpp"

namespace stepcast {

/// Class name in PyTorch's text for a module: "Conv2d" of "Conv2d(3, 64, kernel_size=(3, 3))".
/// Characters that do not belong into a name become '_'; "module" if nothing is left.
std::string module_kind(std::string_view description);

/// The fp32 tensors of a module with `elements` parameters in all. Convolution, batch norm and
/// linear layers are split into weight and bias where the description accounts for every element;
/// otherwise one tensor "parameters" holds them all.
std::vector<Parameter> module_parameters(std::string_view description, std::uint64_t elements);

/// Outputs per position of a convolution or linear layer: its output channels or features; 0 for
/// other modules.
std::uint64_t module_outputs(std::string_view description);

}  // namespace stepcast
