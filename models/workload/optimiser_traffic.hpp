#pragma once

#include <string>

namespace stepcast {

/// How many values of a parameter's size an optimiser's step reads and writes, by name: "sgd" (with
/// momentum) and "adam" as fused kernels; "torch-sgd" (without momentum), "torch-momentum",
/// "torch-adam" and "torch-adamw" as the element-wise kernels that PyTorch up to 1.8 launches for
/// each tensor, with the gradient's zeroing. Throws InputError, naming them all, for another name.
double values_moved(const std::string& optimiser);

/// "sgd, adam, torch-sgd, ...".
std::string optimiser_names();

}  // namespace stepcast
