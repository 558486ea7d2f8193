#pragma once

#include <cstdint>
#include <vector>

#include "sim/asynchronous/world.hpp"

namespace stepcast {

struct LocalSgdOptions {
  std::uint32_t local_steps = 4;  ///< H: gradients between two averagings of all.
  std::uint32_t in_step = 0;      ///< Iterations before that average every time (post-local SGD).
};

/// Stages of a training, each `growth` times as long as the one before. A growing period follows
/// the square root of a stage's length, as its step size falls by `growth` (CODA: Guo, Liu, Yuan,
/// Shen, Liu, Yang, "Communication-Efficient Distributed Stochastic AUC Maximization with Deep
/// Neural Networks", ICML 2020: its theory lets the period grow with 1 / sqrt(step size)).
struct LocalSgdStages {
  std::uint32_t count = 1;
  std::uint32_t first = 2000;  ///< Iterations of the first stage.
  double growth = 3;
  bool period_grows = true;
};

/// Iterations in which all average after every `local_steps`, and at the end.
struct LocalSgdStage {
  std::uint32_t iterations = 0;
  std::uint32_t local_steps = 1;

  std::uint32_t rounds() const { return (iterations + local_steps - 1) / local_steps; }
};

/// Returns the stages, the first of which averages after every `local_steps`: T_s = first growth^s
/// iterations, rounded, and I_s = max(1, floor(local_steps growth^(s/2))) local steps, s = 0, 1,
/// ... Throws InputError for a training of more than 1e9 iterations.
std::vector<LocalSgdStage> stages_of(const LocalSgdStages& stages, std::uint32_t local_steps);

/// Local SGD (Stich, ICLR 2019) and post-local SGD (Lin et al., ICLR 2020): H updates by oneself,
/// then the models of all are averaged: per step E[max_i sum_h g_ih] / H + T_AR / H.
ProtocolRun run_local_sgd(const ProtocolJob& job, const LocalSgdOptions& options);

/// The same as a recursion: iteration times of seeds first_seed, first_seed + 1, ...
std::vector<Seconds> local_sgd_times(const ProtocolJob& job, const LocalSgdOptions& options,
                                     std::uint64_t first_seed, std::uint32_t seeds);

}  // namespace stepcast
