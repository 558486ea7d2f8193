#pragma once

#include "sim/asynchronous/world.hpp"

namespace stepcast {

struct LocalSgdOptions {
  std::uint32_t local_steps = 4;  ///< H: gradients between two averagings of all.
  std::uint32_t in_step = 0;      ///< Iterations before that average every time (post-local SGD).
};

/// Local SGD (Stich, ICLR 2019) and post-local SGD (Lin et al., ICLR 2020): H updates by oneself,
/// then the models of all are averaged: per step E[max_i sum_h g_ih] / H + T_AR / H.
ProtocolRun run_local_sgd(const ProtocolJob& job, const LocalSgdOptions& options);

/// The same as a recursion: iteration times of seeds first_seed, first_seed + 1, ...
std::vector<Seconds> local_sgd_times(const ProtocolJob& job, const LocalSgdOptions& options,
                                     std::uint64_t first_seed, std::uint32_t seeds);

}  // namespace stepcast
