#pragma once

#include "sim/asynchronous/world.hpp"

namespace stepcast {

/// 16 workers that compute 1 s and send in 0.1 s, each 6 times slower with p = 1/16 (Hop's
/// testbed).
inline ProtocolJob hop_job(std::uint32_t iterations = 200) {
  ProtocolJob job{.workers = 16, .compute = Seconds{1}, .iterations = iterations};
  job.slow_down.laws = {SlowDown::Bernoulli{.factor = 6, .probability = 1.0 / 16}};
  job.traffic.message = [](std::uint32_t, Rank, Rank) { return Seconds{0.1}; };
  job.traffic.all_reduce = [](const std::vector<Rank>&) { return Seconds{0.1}; };
  return job;
}

/// 16 workers on 4 nodes that compute 1 s, worker 0 slower; averaging q takes 2 (q - 1) / q times
/// .05 in a node and .12 across (Prague's).
inline ProtocolJob prague_job(double slowness, std::uint32_t iterations = 400) {
  ProtocolJob job{.workers = 16, .per_node = 4, .compute = Seconds{1}, .iterations = iterations};
  job.slow_down.laws = {SlowDown::Fixed{.rank = 0, .factor = slowness}};
  job.traffic.message = [](std::uint32_t, Rank, Rank) { return Seconds{0.1}; };
  job.traffic.all_reduce = [](const std::vector<Rank>& members) {
    bool crosses = false;
    for (const Rank rank : members)
      crosses = crosses || rank / 4 != members.front() / 4;
    const auto q = static_cast<double>(members.size());
    return Seconds{2 * (q - 1) / q * (crosses ? 0.12 : 0.05)};
  };
  return job;
}

/// Mean iteration time over seeds 0 .. seeds - 1.
template <class Run>
double mean_over_seeds(ProtocolJob job, std::uint32_t seeds, Run run) {
  double sum = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    job.slow_down.seed = seed;
    sum += run(job).iteration_time().value;
  }
  return sum / seeds;
}

}  // namespace stepcast
