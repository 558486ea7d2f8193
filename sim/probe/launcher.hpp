#pragma once

#include <cstdint>

namespace stepcast {

/// What the launcher of MPI says in the environment, before MPI is asked.
struct Launcher {
  std::uint32_t rank = 0;
  std::uint32_t ranks = 1;  ///< 1: none; 0: a launcher that does not say how many.
};

/// Knows Open MPI, MPICH, Intel MPI (PMI) and PMIx, also under Slurm.
Launcher launcher_of_environment();

}  // namespace stepcast
