#pragma once
// What a process knows of the others that a launcher started, and which GPU it takes.

#include <cstdint>
#include <optional>
#include <string>

namespace stepcast {

/// What the launcher of MPI says in the environment, before MPI is asked.
struct Launcher {
  std::uint32_t rank = 0;
  std::uint32_t ranks = 1;  ///< 1: none; 0: a launcher that does not say how many.
};

/// Knows Open MPI, MPICH, Intel MPI (PMI) and PMIx, also under Slurm.
Launcher launcher_of_environment();

/// What a process sees of GPUs and of the other processes.
struct GpuView {
  std::uint32_t gpus = 0;
  std::string problem;  ///< Why there are none: no driver, ...; empty: they are there.
  std::uint32_t ranks = 1;
  std::uint32_t rank_on_node = 0;
};

/// What keeps this process from measuring on `asked` GPUs (none: all), and what still works; ""
/// if nothing does. Under MPI each rank takes one GPU: of those it sees, or the only one it is
/// shown.
std::string missing_gpus(const GpuView& view, std::optional<std::uint32_t> asked);

/// The GPU that this process uses, or uses first.
std::uint32_t first_gpu(const GpuView& view);

}  // namespace stepcast
