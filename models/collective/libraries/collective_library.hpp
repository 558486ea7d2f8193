#pragma once

#include <cstdint>

#include "models/collective/collective.hpp"
#include "models/network/cluster.hpp"

namespace stepcast {

/// A collective communication library, by the algorithms that it can run.
enum class CollectiveLibrary : std::uint8_t {
  Nccl,  ///< What GPUs train with, and so where a cluster does not say otherwise.
  Mpi,
  Gloo,
};

/// "NCCL", "MPI", "Gloo".
const char* name_of(CollectiveLibrary library);

/// The library of a cluster: that with which its measured curves were recorded, by their key "nccl"
/// or by what their provenance names as source and method ("OSU micro-benchmarks 5.7 (MPI-CUDA
/// ..)"); `--set cluster.collectives=NAME` takes other curves. NCCL where nothing is said.
CollectiveLibrary library_of(const Cluster& cluster);

/// Whether the library has the algorithm for collectives of that kind.
bool has_algorithm(CollectiveLibrary library, Algorithm algorithm, CollectiveKind kind);

}  // namespace stepcast
