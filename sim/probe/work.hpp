#pragma once

#include <span>
#include <vector>

#include "models/device/kernel_point.hpp"
#include "models/workload/workload.hpp"
#include "sim/probe/arguments.hpp"

namespace stepcast {

/// What the machine has for the work.
struct MachineLimits {
  std::uint32_t gpus = 1;  ///< To be used, on all nodes.
  std::uint32_t nodes = 1;
  bool peers = false;        ///< Two GPUs of a node reach each other.
  bool fixed_ranks = false;  ///< Under MPI: collectives on all ranks only.
  Bytes memory{};            ///< Free on one GPU; 0: unknown, all fits.
};

/// The shapes to measure, and how many were left out for want of memory.
struct Work {
  std::vector<KernelShape> shapes;
  std::uint32_t too_large = 0;
};

/// The work of one probe. Products: forward, both gradients and both Kronecker factors of every
/// layer of `workloads`, each shape once, evenly thinned out by operations; each precision.
Work work_of(ProbeKind kind, const MachineLimits& limits, std::span<const Workload> workloads,
             bool quick);

/// Memory that measuring a shape takes on each GPU, workspaces included.
Bytes memory_of(const KernelShape& shape);

/// Elements kept by the selections: one per cent, at least one.
std::uint64_t kept_of(std::uint64_t elements);

/// The largest side whose packed triangle has at most so many elements; at least 1.
std::uint64_t side_of_packed(std::uint64_t elements);

}  // namespace stepcast
