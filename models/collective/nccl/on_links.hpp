#pragma once

#include "models/collective/collective.hpp"
#include "models/network/cluster.hpp"

namespace stepcast::nccl {

/// An all-reduce of Algorithm::Nccl as the ring or tree that NCCL's tuner takes over these links,
/// with the bytes that the protocol sends. Rings and trees are taken to have the bandwidth of the
/// slowest link between the members, and the GPUs of a node to be joined by NVLink if their ports
/// are faster than PCIe 4 x16 (32 GB/s). Precondition: two members, a size.
Collective resolved(Collective collective, const Group& group, const Cluster& cluster);

}  // namespace stepcast::nccl
