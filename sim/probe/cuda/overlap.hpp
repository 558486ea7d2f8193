#pragma once

#include "models/device/kernel_point.hpp"
#include "sim/probe/cuda/collectives.hpp"
#include "sim/probe/sampling.hpp"

namespace stepcast {

/// Products on one stream beside communication of shape.size bytes at a time on another, which goes
/// on for as long: the time of one (OverlapCompute: of the products; OverlapCommunication: of one
/// communication) alone and beside the other. On one GPU communication is a copy inside the device,
/// on several NCCL's all-reduce over all of them.
KernelPoint measure_overlap(const KernelShape& shape, const Effort& effort,
                            CommunicatorCache& communicators);

}  // namespace stepcast
