// Ports that are slower while their GPU computes, see Overlap::communication_slowdown.
#include "sim/engine/slow_ports.hpp"

#include <gtest/gtest.h>

#include "models/schedule/builder.hpp"
#include "models/schedule/list/registry.hpp"
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

/// Hears of ports, and moves nothing.
struct Listening : NetworkBackend {
  void start(const Collective&, const Participants&, Seconds, Done) override {}
  void set_ports(std::span<const Rank>, double share) override { heard.push_back(share); }
  std::vector<double> heard;
};

SlowPorts ports_of(const Plan& plan, const Cluster& cluster) {
  const Folding folding = fold_ranks(plan, cluster, {});
  return {plan, cluster, compile(plan, folding, {}), folding};
}

// A tree of messages told SimGrid of 64 ports whenever a pass began and ended, long before any.
TEST(SlowPorts, NetworksHearOfThemWhileSomethingMoves) {
  Cluster cluster = plain_cluster(1, 2);
  cluster.overlap.communication_slowdown = 1;
  const Workload two = uniform_workload(2, {1e-3}, {2e-3}, 10'000'000);
  SlowPorts ports = ports_of(build_plan("wfbp", two, cluster, {}), cluster);
  ASSERT_TRUE(ports.exist());
  Listening network;
  ports.set(0, true, network);
  ports.set(0, false, network);
  ports.transfer_begins(network);
  EXPECT_TRUE(network.heard.empty());
  ports.set(0, true, network);
  EXPECT_EQ(network.heard, std::vector{0.5});
  ports.transfer_ends();
  ports.set(0, false, network);
  EXPECT_EQ(network.heard.size(), 1U);
  ports.transfer_begins(network);
  EXPECT_EQ(network.heard, (std::vector{0.5, 1.0}));
}

// All that crosses a port in an even exchange crosses its NIC, too. Of unequal parts a port may
// have the largest, inside its node.
TEST(SlowPorts, EvenExchangesBetweenNodesWaitForNics) {
  Cluster cluster = plain_cluster(2, 2);
  cluster.overlap.communication_slowdown = 1;
  const Workload one = uniform_workload(1, {1e-3}, {2e-3}, 1);
  for (const bool even : {true, false}) {
    Builder builder("exchange", one, cluster);
    builder.stream("network");
    builder.forward(0);
    builder.all_to_all("x", Bytes{1e6},
                       {.shares = even ? std::vector<double>{} : std::vector{1.0, 5.0, 1.0, 1.0}});
    EXPECT_EQ(ports_of(std::move(builder).build(), cluster).exist(), !even);
  }
}

}  // namespace
}  // namespace stepcast
