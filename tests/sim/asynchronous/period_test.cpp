#include "sim/asynchronous/period.hpp"

#include <gtest/gtest.h>

#include "sim/asynchronous/neighbours.hpp"
#include "sim/asynchronous/parameter_server.hpp"
#include "tests/sim/asynchronous/protocol_jobs.hpp"

namespace stepcast {
namespace {

ProtocolJob steady_job() {
  ProtocolJob job = hop_job();
  job.slow_down.laws.clear();
  return job;
}

// What one iteration more takes, far from the start.
Seconds slope_of(ProtocolJob job, const RunJob& run, std::uint32_t from, std::uint32_t count) {
  job.iterations = from;
  const Seconds before = run(job).makespan;
  job.iterations = from + count;
  return (run(job).makespan - before) / count;
}

// Messages of four rounds take 1, 2, 3 and 4 s: 2.5 s on average, but over 22 iterations 2.41 s.
TEST(Period, AMeanIsOfWholePeriods) {
  ProtocolJob job = steady_job();
  const NeighbourOptions options{.graph = make_peer_graph(16, {.topology = Topology::OnePeer})};
  job.traffic.message = [](std::uint32_t round, Rank, Rank) { return Seconds{1.0 + round % 4}; };
  const RunJob run = [&](const ProtocolJob& each) { return run_neighbours(each, options); };
  for (const std::uint32_t least : {4U, 20U, 21U, 22U, 23U}) {
    const CountedRun counted = steady_run(job, {.iterations = 4}, run, {.least = least});
    EXPECT_TRUE(counted.steady);
    EXPECT_EQ(counted.iterations % 4, 0U);
    EXPECT_NEAR(counted.run.iteration_time().value, 2.5, 1e-12);
  }
  job.iterations = 22;
  EXPECT_FALSE(first_run(job, {.iterations = 4}, run, {}).steady);
  EXPECT_NEAR(first_run(job, {.iterations = 4}, run, {}).run.iteration_time().value,
              (50.0 + 1 + 2) / 22, 1e-12);
  job.iterations = 24;
  EXPECT_TRUE(first_run(job, {.iterations = 4}, run, {}).steady);
}

// All ask at once as they start, which costs the first iterations more than those to come. A slow
// worker is waited for when the others are as far ahead as they may be.
TEST(Period, StartUpIsLeftOut) {
  for (const double factor : {1.0, 1.5})
    for (const ServerRule rule : {ServerRule::StaleSynchronous, ServerRule::Backup}) {
      ProtocolJob job = steady_job();
      job.slow_down.laws = {SlowDown::Fixed{.rank = 2, .factor = factor}};
      const ServerOptions options{.rule = rule,
                                  .slack = 5,
                                  .transfer = Seconds{0.1},
                                  .service = Seconds{0.05},
                                  .sum = Seconds{0.01}};
      const RunJob run = [&](const ProtocolJob& each) {
        return run_parameter_server(each, options);
      };
      const CountedRun counted = steady_run(job, {.memory = 7}, run, {});
      EXPECT_TRUE(counted.steady);
      EXPECT_NEAR(counted.run.iteration_time() / slope_of(job, run, 1000, 600), 1, 1e-9);
    }
}

// The rules are always the same, but who waits for whom leads through three workers in turn.
TEST(Period, MayBeAMultipleOfTheRules) {
  ProtocolJob job = steady_job();
  job.workers = 3;
  const NeighbourOptions options{.graph = peer_graph_of({{1}, {2}, {0}}), .send = SendTime::Behind};
  job.traffic.message = [](std::uint32_t, Rank from, Rank) { return Seconds{1.0 + from}; };
  const RunJob run = [&](const ProtocolJob& each) { return run_neighbours(each, options); };
  const CountedRun counted = steady_run(job, {}, run, {});
  EXPECT_TRUE(counted.steady);
  EXPECT_EQ(counted.iterations % 3, 0U);
  // Around the ring: three gradients and 1 + 2 + 3 s of messages in three iterations.
  EXPECT_NEAR(counted.run.iteration_time().value, 3, 1e-12);
}

// Nobody waits, and one is faster by a share that no number of iterations makes whole.
TEST(Period, WhatNeverRepeatsIsAMeanOfTheLaterHalf) {
  ProtocolJob job = steady_job();
  job.slow_down.laws = {SlowDown::Fixed{.rank = 2, .factor = 1.37}};
  const RunJob run = [](const ProtocolJob& each) {
    return run_parameter_server(each, {.rule = ServerRule::Asynchronous});
  };
  const CountedRun counted = steady_run(job, {.memory = 2}, run, {.most = 320});
  EXPECT_FALSE(counted.steady);
  EXPECT_EQ(counted.iterations, 160U);
  EXPECT_NEAR(counted.run.iteration_time().value, 16 / (15 + 1 / 1.37), 0.01);
}

}  // namespace
}  // namespace stepcast
