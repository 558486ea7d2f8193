#include <string>

#include <gtest/gtest.h>

#include "models/collective/collective.hpp"
#include "tests/models/collective/clusters.hpp"
#include "tests/models/collective/step_replay.hpp"

namespace stepcast {
namespace {

constexpr Bytes kSizes[] = {{1e3}, {1e5}, {1e6}, {3e7}};

std::vector<Collective> collectives_of(Algorithm algorithm, std::uint32_t ranks) {
  std::vector<Collective> all;
  for (const CollectiveKind kind : all_collective_kinds())
    for (const Bytes size : kSizes)
      if (supports(algorithm, kind))
        all.push_back({kind, algorithm, size, ranks / 3});
  return all;
}

/// Clusters in which equal links do equal work, but for the number of ranks.
std::vector<Cluster> clusters() {
  std::vector<Cluster> all;
  for (const std::uint32_t ranks : {1U, 2U, 3U, 4U, 5U, 8U, 16U}) {
    all.push_back(slow_network(ranks, 1));
    all.push_back(slow_network(1, ranks));
  }
  for (const auto& [nodes, gpus] : {std::pair{2U, 2U}, {4U, 2U}, {3U, 4U}, {16U, 4U}}) {
    all.push_back(slow_network(nodes, gpus));
    all.push_back(fast_network(nodes, gpus));
  }
  all.push_back(fast_network(4, 2));
  all.back().intra_node.startup = {50e-6};  // More than between the nodes.
  return all;
}

std::string description(const Collective& c, const Group& group, const Cluster& cluster) {
  return std::string(name_of(c.kind)) + " " + name_of(c.algorithm) + " of " +
         std::to_string(c.size.value) + " B, " + std::to_string(group.size()) + " ranks, " +
         std::to_string(cluster.nodes) + "x" + std::to_string(cluster.gpus_per_node);
}

void expect_exact(Algorithm algorithm, const Group& group, const Cluster& cluster) {
  for (const Collective& collective : collectives_of(algorithm, group.size())) {
    const double steps = replay(steps_of(collective, group, cluster), cluster);
    EXPECT_NEAR(cost_of(collective, group, cluster).value, steps, 1e-9 * steps)
        << description(collective, group, cluster);
  }
}

/// Never below the replay, and above it by at most the `slack` (relative).
void expect_upper_bound(Algorithm algorithm, const Group& group, const Cluster& cluster,
                        double slack) {
  for (const Collective& collective : collectives_of(algorithm, group.size())) {
    const double steps = replay(steps_of(collective, group, cluster), cluster);
    const double cost = cost_of(collective, group, cluster).value;
    EXPECT_GE(cost, steps * (1 - 1e-9)) << description(collective, group, cluster);
    EXPECT_LE(cost, steps * (1 + slack)) << description(collective, group, cluster);
  }
}

void expect_flows_take(Algorithm algorithm, const Group& group, const Cluster& cluster,
                       double tolerance) {
  for (const Collective& collective : collectives_of(algorithm, group.size())) {
    const double cost = cost_of(collective, group, cluster).value;
    EXPECT_NEAR(replay(edge_flows_of(collective, group, cluster), cluster), cost, tolerance * cost)
        << description(collective, group, cluster);
  }
}

TEST(Exactness, RingEqualsItsReplay) {
  for (const Cluster& cluster : clusters())
    expect_exact(Algorithm::Ring, world_of(cluster), cluster);
}

TEST(Exactness, HierarchicalRingEqualsItsReplay) {
  for (const Cluster& cluster : clusters())
    expect_exact(Algorithm::HierarchicalRing, world_of(cluster), cluster);
}

TEST(Exactness, HalvingDoublingEqualsItsReplayForAnyNumberOfRanks) {
  for (const Cluster& cluster : clusters())
    expect_exact(Algorithm::HalvingDoubling, world_of(cluster), cluster);
}

TEST(Exactness, PairwiseEqualsItsReplay) {
  for (const Cluster& cluster : clusters())
    expect_exact(Algorithm::Pairwise, world_of(cluster), cluster);
}

TEST(Exactness, ChainEqualsItsReplay) {
  for (const Cluster& cluster : clusters())
    expect_exact(Algorithm::Chain, world_of(cluster), cluster);
}

TEST(Exactness, StarEqualsItsReplay) {
  for (const Cluster& cluster : clusters())
    expect_exact(Algorithm::Star, world_of(cluster), cluster);
}

TEST(Exactness, BinomialTreesAndSendsEqualTheirReplay) {
  for (const Cluster& cluster : clusters()) {
    expect_exact(Algorithm::BinomialTree, world_of(cluster), cluster);
    expect_exact(Algorithm::Direct, world_of(cluster), cluster);
    expect_flows_take(Algorithm::BinomialTree, world_of(cluster), cluster, 1e-9);
    expect_flows_take(Algorithm::Direct, world_of(cluster), cluster, 1e-9);
  }
}

TEST(Exactness, FlowsOfStarsTakeTheCostOnAnIdleNetwork) {
  for (const Cluster& cluster : clusters())
    expect_flows_take(Algorithm::Star, world_of(cluster), cluster, 1e-9);
}

// 4 nodes of one GPU, 1 GB/s, start-up 20 us: three workers send 1 MB each into one NIC.
TEST(Exactness, AStarIsBoundByTheNicOfItsRoot) {
  const Collective push{CollectiveKind::Reduce, Algorithm::Star, {1e6}, 2};
  const Cluster cluster = slow_network(4, 1);
  EXPECT_NEAR(cost_of(push, world_of(cluster), cluster).value, 20e-6 + 3e-3, 1e-15);
}

TEST(Exactness, TreeEqualsItsReplayWhereAllStartupsAreEqual) {
  for (const Cluster& cluster : clusters())
    if (cluster.nodes == 1 || cluster.gpus_per_node == 1)
      expect_exact(Algorithm::DoubleBinaryTree, world_of(cluster), cluster);
}

// Messages inside and between nodes share ports but start at different times; the cost counts them
// as if they always moved together. The most seen is 16 %, and 21 % where inside takes 50 us.
TEST(Exactness, TreeIsBoundedWhereMessagesInsideAndBetweenNodesMix) {
  for (const Cluster& cluster : clusters())
    if (cluster.nodes > 1 && cluster.gpus_per_node > 1)
      expect_upper_bound(Algorithm::DoubleBinaryTree, world_of(cluster), cluster, 0.25);
}

TEST(Exactness, RacksWithTheirOwnStartupKeepRingsChainsAndHalvingExact) {
  const Cluster cluster = racks_of_two(4, 2);
  for (const Algorithm algorithm :
       {Algorithm::Ring, Algorithm::HierarchicalRing, Algorithm::Chain, Algorithm::HalvingDoubling})
    expect_exact(algorithm, world_of(cluster), cluster);
}

TEST(Exactness, AnUnevenLastRackKeepsRingsAndChainsExact) {
  const Cluster cluster = racks_of_two(5, 2);
  for (const Algorithm algorithm : {Algorithm::Ring, Algorithm::HierarchicalRing, Algorithm::Chain})
    expect_exact(algorithm, world_of(cluster), cluster);
}

TEST(Exactness, PairwiseAcrossRacksIsExactWithoutARackStartupAndElseBounded) {
  Cluster cluster = racks_of_two(6, 2);
  expect_upper_bound(Algorithm::Pairwise, world_of(cluster), cluster, 0.25);
  cluster.rack->startup = {};
  expect_exact(Algorithm::Pairwise, world_of(cluster), cluster);
}

TEST(Exactness, ConsecutiveRanksThatDoNotFillTheirNodesAreExact) {
  const Cluster cluster = slow_network(4, 2);
  const Group group{{1, 2, 3, 4, 5, 6}};
  for (const Algorithm algorithm :
       {Algorithm::Ring, Algorithm::Chain, Algorithm::Pairwise, Algorithm::HalvingDoubling})
    expect_exact(algorithm, group, cluster);
}

TEST(Exactness, OneRankOnEachNodeIsExact) {
  const Cluster cluster = slow_network(4, 4);
  const Group group{{1, 5, 9, 13}};
  for (const Algorithm algorithm : all_algorithms())
    expect_exact(algorithm, group, cluster);
}

// Order 0, 2, 1, 3 on two nodes of two: each of the four ring edges crosses the network.
TEST(Exactness, InterleavedRanksShareTheirNics) {
  const Cluster cluster = slow_network(2, 2);
  const Group group{{0, 2, 1, 3}};
  expect_exact(Algorithm::Ring, group, cluster);
  // 2 * 3 rounds of 20 us + 0.25 MB / (1 GB/s / 2): 6 * 520 us = 3.12 ms.
  const Collective all_reduce{CollectiveKind::AllReduce, Algorithm::Ring, {1e6}};
  EXPECT_NEAR(cost_of(all_reduce, group, cluster).value, 3.12e-3, 1e-15);
}

// Order 0, 4, 1, 2, 5, 3, 6, 7 on two nodes of four: a NIC carries up to two ring edges,
// and one may pay its start-up while the other moves. The most seen is 27 % for rings, 42 % for
// chains.
TEST(Exactness, DisorderedRanksAreBounded) {
  const Cluster cluster = slow_network(2, 4);
  const Group group{{0, 4, 1, 2, 5, 3, 6, 7}};
  expect_upper_bound(Algorithm::Ring, group, cluster, 0.3);
  expect_upper_bound(Algorithm::Chain, group, cluster, 0.45);
}

TEST(Exactness, FlowsOfRingsTakeTheCostOnAnIdleNetwork) {
  std::vector<Cluster> all = clusters();
  all.push_back(racks_of_two(4, 2));
  all.push_back(racks_of_two(5, 2));
  for (const Cluster& cluster : all)
    for (const Algorithm algorithm : {Algorithm::Ring, Algorithm::HierarchicalRing})
      expect_flows_take(algorithm, world_of(cluster), cluster, 1e-9);
}

TEST(Exactness, FlowsOfTheOtherAlgorithmsTakeTheCostOnAnIdleNetwork) {
  for (const Cluster& cluster : clusters())
    for (const Algorithm algorithm : {Algorithm::DoubleBinaryTree, Algorithm::HalvingDoubling,
                                      Algorithm::Pairwise, Algorithm::Chain})
      expect_flows_take(algorithm, world_of(cluster), cluster, 1e-9);
}

TEST(Exactness, FlowsOfUnevenGroupsTakeTheCostWithinTwoPercent) {
  const Cluster cluster = racks_of_two(6, 2);
  const Group group{{1, 2, 3, 4, 6, 7, 11}};
  for (const Algorithm algorithm : {Algorithm::Ring, Algorithm::DoubleBinaryTree, Algorithm::Chain,
                                    Algorithm::HalvingDoubling, Algorithm::Pairwise})
    expect_flows_take(algorithm, group, cluster, 0.02);
}

}  // namespace
}  // namespace stepcast
