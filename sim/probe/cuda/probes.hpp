#pragma once
// One function for each family of kernels: measures a shape on the current device and checks its
// output. All throw HardwareError, also for a wrong output.

#include <functional>
#include <optional>
#include <span>

#include "models/device/kernel_point.hpp"
#include "sim/probe/cuda/collectives.hpp"
#include "sim/probe/cuda/support.hpp"
#include "sim/probe/sampling.hpp"

namespace stepcast {

KernelPoint measure_gemm(const KernelShape& shape, const Effort& effort);
KernelPoint measure_inverse(const KernelShape& shape, const Effort& effort);
KernelPoint measure_selection(const KernelShape& shape, const Effort& effort);
/// `peer`: the device that CopyPeer copies to.
KernelPoint measure_copy(const KernelShape& shape, const Effort& effort, int peer);

/// Measures NCCL on the first shape.gpus ranks; the time is that of the slowest GPU. With several
/// communicators the same collective runs on each at once, on streams and buffers of their own.
KernelPoint measure_collective(const KernelShape& shape, const Effort& effort,
                               CommunicatorCache& communicators);

/// Products on one stream beside communication of shape.size bytes at a time on another, which goes
/// on for as long: the time of one (OverlapCompute: of the products; OverlapCommunication: of one
/// communication) alone and beside the other. On one GPU communication is a copy inside the device,
/// on several NCCL's all-reduce over all of them.
KernelPoint measure_overlap(const KernelShape& shape, const Effort& effort,
                            CommunicatorCache& communicators);

/// The point of a sample whose output has this error. Throws HardwareError if it is above the
/// family's tolerance.
KernelPoint checked_point(const KernelShape& shape, const Sample& sample,
                          std::optional<double> error);

/// The same of an output that has these values at these places, exactly or within the tolerance.
KernelPoint checked_point(const KernelShape& shape, const Sample& sample, const CudaStream& stream,
                          const Memory& output, std::span<const std::uint64_t> places,
                          const std::function<double(std::uint64_t)>& expected);

}  // namespace stepcast
