// Ports that are slower while their GPU computes, see Overlap::communication_slowdown.
#include <gtest/gtest.h>

#include "models/schedule/registry.hpp"
#include "sim/engine/engine.hpp"
#include "tests/support/examples.hpp"

namespace stepcast {
namespace {

using examples::plain_cluster;
using examples::uniform_workload;

// Two GPUs of a node, ports of 10 GB/s. The all-reduce of layer 1 (40 MB: 4 ms on an idle network)
// starts after its BP, beside the BP of layer 0 (2 ms), in which ports are 1 + 1 times slower: 2 ms
// carry a quarter of it, 3 ms the rest; then the one of layer 0. FF 2 + BP 2 + 2 + 3 + 4 ms.
TEST(SlowPorts, AGpuThatComputesCommunicatesMoreSlowly) {
  Cluster cluster = plain_cluster(1, 2);
  cluster.overlap.communication_slowdown = 1;
  const Workload two = uniform_workload(2, {1e-3}, {2e-3}, 10'000'000);
  const Plan plan = build_plan("wfbp", two, cluster, {});
  for (const Fidelity fidelity : {Fidelity::Analytic, Fidelity::Flow, Fidelity::Step})
    for (const bool fold : {true, false})
      EXPECT_NEAR(
          simulate(plan, cluster, {.fidelity = fidelity, .fold = fold}).iteration_time.value, 0.013,
          1e-9)
          << name_of(fidelity);
}

// The same between nodes of one GPU, whose NICs are ten times slower than their ports: ports of
// half their bandwidth are not what messages wait for; those of a twentieth carry half of what NICs
// do, so that 2 ms move 1 MB instead of 2. 4 + 40 + 40 ms, and 1 ms more.
TEST(SlowPorts, ASlowPortMattersWhereItIsTheNarrowestLink) {
  Cluster cluster = plain_cluster(2, 1);
  const Workload two = uniform_workload(2, {1e-3}, {2e-3}, 10'000'000);
  const Plan plan = build_plan("wfbp", two, cluster, {});
  for (const Fidelity fidelity : {Fidelity::Analytic, Fidelity::Flow, Fidelity::Step}) {
    cluster.overlap.communication_slowdown = 1;
    EXPECT_NEAR(simulate(plan, cluster, {.fidelity = fidelity}).iteration_time.value, 0.084, 1e-9);
    cluster.overlap.communication_slowdown = 19;
    EXPECT_NEAR(simulate(plan, cluster, {.fidelity = fidelity}).iteration_time.value, 0.085, 1e-9);
  }
}

// Two nodes of three GPUs, ports of 10 GB/s, NICs faster. Rank 1 in the middle of a node computes
// 10 times slower, and its port carries a quarter meanwhile. FF 20 ms, BP of layer 1 20 ms; its
// all-reduce moves 2 x 5/6 x 40 MB along each edge of the ring: beside the BP of layer 0 (20 ms) 50
// MB, then the rest at 10 GB/s, 1 2/3 ms; then that of layer 0, 6 2/3 ms. `flow` knew no edge
// inside a node, and so not that of rank 1.
TEST(SlowPorts, AStragglersSlowPortHoldsUpTheRingOfAllNodes) {
  Cluster cluster = plain_cluster(2, 3);
  cluster.nic.bandwidth = BytesPerSecond{1e11};
  cluster.overlap.communication_slowdown = 3;
  const Workload two = uniform_workload(2, {1e-3}, {2e-3}, 10'000'000);
  const Plan plan = build_plan("wfbp", two, cluster, {});
  for (const Fidelity fidelity : {Fidelity::Flow, Fidelity::Step})
    for (const bool fold : {true, false}) {
      const EngineOptions options{.fidelity = fidelity, .stragglers = {{1, 10.0}}, .fold = fold};
      EXPECT_NEAR(simulate(plan, cluster, options).iteration_time.value,
                  0.04 + 0.065 / 3 + 0.02 / 3, 1e-9)
          << name_of(fidelity);
    }
}

// A bound is not disturbed, and the ports of one run are not those of the next.
TEST(SlowPorts, AreSlowInOneRunOnly) {
  Cluster cluster = plain_cluster(1, 2);
  const Workload two = uniform_workload(2, {1e-3}, {2e-3}, 10'000'000);
  const Plan wfbp = build_plan("wfbp", two, cluster, {});
  const Seconds before = simulate(wfbp, cluster, {}).iteration_time;
  const Seconds bound = simulate(build_plan("ideal", two, cluster, {}), cluster, {}).iteration_time;
  Cluster slow = cluster;
  slow.overlap.communication_slowdown = 3;
  EXPECT_GT(simulate(wfbp, slow, {}).iteration_time, before);
  EXPECT_EQ(simulate(build_plan("ideal", two, slow, {}), slow, {}).iteration_time, bound);
  EXPECT_EQ(simulate(wfbp, cluster, {}).iteration_time, before);
}

}  // namespace
}  // namespace stepcast
