#pragma once
// One function for each family of kernels: measures a shape on the current device and checks its
// output. All throw HardwareError, also for a wrong output.

#include "models/device/kernel_point.hpp"
#include "sim/probe/sampling.hpp"

namespace stepcast {

KernelPoint measure_gemm(const KernelShape& shape, const Effort& effort);
KernelPoint measure_inverse(const KernelShape& shape, const Effort& effort);
KernelPoint measure_selection(const KernelShape& shape, const Effort& effort);
/// `peer`: the device that CopyPeer copies to.
KernelPoint measure_copy(const KernelShape& shape, const Effort& effort, int peer);

/// The point of a sample whose output has this error. Throws HardwareError if it is above the
/// family's tolerance.
KernelPoint checked_point(const KernelShape& shape, const Sample& sample,
                          std::optional<double> error);

}  // namespace stepcast
