// Collectives of unequal parts, binomial trees and sends.
#include <algorithm>

#include <gtest/gtest.h>

#include "models/collective/collective.hpp"
#include "tests/models/collective/clusters.hpp"
#include "tests/models/collective/step_replay.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

/// Parts from 1 - skew to 1 + skew times the mean, in no order.
std::vector<double> skewed(std::uint32_t ranks, double skew) {
  std::vector<double> shares;
  for (std::uint32_t i = 0; i < ranks; ++i)
    shares.push_back(1 + skew * (2.0 * (i * 7 % ranks) / (ranks - 1) - 1));
  return shares;
}

Collective gather_of(Bytes size, std::vector<double> shares) {
  return {.kind = CollectiveKind::AllGather,
          .algorithm = Algorithm::Ring,
          .size = size,
          .shares = std::move(shares)};
}

Collective exchange_of(Bytes size, std::vector<double> shares) {
  return {.kind = CollectiveKind::AllToAll,
          .algorithm = Algorithm::Pairwise,
          .size = size,
          .shares = std::move(shares)};
}

double cost(const Collective& collective, const Cluster& cluster) {
  return cost_of(collective, world_of(cluster), cluster).value;
}

double steps(const Collective& collective, const Cluster& cluster) {
  return replay(steps_of(collective, world_of(cluster), cluster), cluster);
}

double flows(const Collective& collective, const Cluster& cluster) {
  return replay(edge_flows_of(collective, world_of(cluster), cluster), cluster);
}

// 4 nodes, 1 GB/s, 20 us: the part of 4 MB passes three edges, 3 x (20 us + 4 ms).
TEST(UnequalRing, IsAsSlowAsItsLargestPart) {
  const Collective gather = gather_of({10e6}, {1, 4, 3, 2});
  EXPECT_NEAR(cost(gather, slow_network(4, 1)), 3 * (20e-6 + 4e-3), 1e-15);
}

// Every rank sends its part for the one with 4 MB in one of the three rounds: all take 4 ms.
TEST(UnequalPairwise, IsAsSlowAsItsLargestPart) {
  const Collective exchange = exchange_of({10e6}, {1, 4, 3, 2});
  EXPECT_NEAR(cost(exchange, slow_network(4, 1)), 3 * (20e-6 + 4e-3), 1e-15);
}

TEST(UnequalParts, EqualSharesCostWhatNoSharesDo) {
  for (const Cluster& cluster : {slow_network(6, 1), slow_network(4, 2)}) {
    const std::vector<double> equal(cluster.ranks(), 2.5);
    EXPECT_NEAR(cost(gather_of({3e6}, equal), cluster), cost(gather_of({3e6}, {}), cluster), 1e-15);
    EXPECT_NEAR(cost(exchange_of({3e6}, equal), cluster), cost(exchange_of({3e6}, {}), cluster),
                1e-15);
  }
}

TEST(UnequalParts, EqualTheirReplayWithOneGpuANode) {
  for (const std::uint32_t ranks : {2U, 3U, 5U, 8U})
    for (const Bytes size : {Bytes{1e4}, Bytes{1e7}}) {
      const Cluster cluster = slow_network(ranks, 1);
      for (const Collective& collective :
           {gather_of(size, skewed(ranks, 0.8)), exchange_of(size, skewed(ranks, 0.8))}) {
        const double replayed = steps(collective, cluster);
        EXPECT_NEAR(cost(collective, cluster), replayed, 1e-9 * replayed) << ranks;
        EXPECT_NEAR(flows(collective, cluster), replayed, 1e-9 * replayed) << ranks;
      }
    }
}

TEST(UnequalParts, ARingOverNodesOfSeveralGpusEqualsItsReplay) {
  for (const auto& [nodes, gpus] : {std::pair{2U, 2U}, {3U, 4U}, {1U, 6U}}) {
    const Cluster cluster = slow_network(nodes, gpus);
    const Collective gather = gather_of({5e6}, skewed(cluster.ranks(), 0.6));
    const double replayed = steps(gather, cluster);
    EXPECT_NEAR(cost(gather, cluster), replayed, 1e-9 * replayed) << nodes;
  }
}

// Messages of several sizes share a NIC, and those inside a node end before.
TEST(UnequalParts, AnExchangeOverNodesOfSeveralGpusIsCloseToItsReplay) {
  for (const auto& [nodes, gpus] : {std::pair{2U, 2U}, {3U, 4U}, {4U, 4U}, {1U, 6U}})
    for (const double skew : {0.2, 0.8}) {
      const Cluster cluster = slow_network(nodes, gpus);
      const Collective exchange = exchange_of({5e6}, skewed(cluster.ranks(), skew));
      const double replayed = steps(exchange, cluster);
      EXPECT_NEAR(cost(exchange, cluster), replayed, 0.05 * replayed) << nodes << " " << skew;
    }
}

TEST(UnequalParts, AMemberWithoutAnythingIsLeftOut) {
  const Cluster cluster = slow_network(3, 1);
  for (const Collective& collective :
       {gather_of({3e6}, {0, 1, 2}), exchange_of({3e6}, {0, 1, 2})}) {
    EXPECT_NEAR(steps(collective, cluster), 2 * (20e-6 + 2e-3), 1e-12);
    EXPECT_NEAR(cost(collective, cluster), 2 * (20e-6 + 2e-3), 1e-12);
    for (const Round& round : steps_of(collective, world_of(cluster), cluster).rounds)
      for (const Message& message : round.messages)
        EXPECT_GT(message.size, Bytes{});
  }
}

TEST(UnequalParts, ErrorsSayWhatWouldBeRight) {
  const Cluster cluster = slow_network(3, 1);
  EXPECT_EQ(input_error_of([&] {
              cost(gather_of({1e6}, {1, 2}), cluster);
            }),
            "collective: expected 3 parts, one for each member, found 2");
  EXPECT_EQ(input_error_of([&] {
              cost(gather_of({1e6}, {1, -2, 3}), cluster);
            }),
            "collective: expected parts of at least 0, and one of them above 0");
  Collective broadcast{CollectiveKind::Broadcast, Algorithm::Chain, {1e6}};
  broadcast.shares = {1, 2, 3};
  EXPECT_EQ(input_error_of([&] { cost(broadcast, cluster); }),
            "collective: expected equal parts, as chain broadcast has no other; only the ring "
            "all-gather and the pairwise all-to-all take unequal ones");
}

// 32 nodes: as few flows as possible, and every NIC still sends and receives what is its due.
TEST(UnequalParts, FewFlowsLoadEveryNicWithItsBytes) {
  const Cluster cluster = slow_network(32, 2);
  const Collective exchange = exchange_of({64e6}, skewed(64, 0.5));
  const auto phases = edge_flows_of(exchange, world_of(cluster), cluster);
  ASSERT_EQ(phases.size(), 1U);
  EXPECT_LT(phases[0].messages.size(), 64U);
  std::vector<double> received(32);
  std::vector<double> expected(32);
  for (const Message& message : phases[0].messages) {
    EXPECT_NE(node_of(cluster, message.from), node_of(cluster, message.to));
    received[node_of(cluster, message.to)] += message.size.value;
  }
  const auto parts = parts_of(exchange, 64);
  for (Rank rank = 0; rank < 64; ++rank)
    expected[node_of(cluster, rank)] += 62 * parts[rank].value;
  for (std::uint32_t node = 0; node < 32; ++node)
    EXPECT_NEAR(received[node], expected[node], 64.0) << node;  // pieces below a byte are dropped
}

TEST(UnequalParts, EqualNodesBeyondThePairsExchangeWithOneOtherEach) {
  const Cluster cluster = slow_network(64, 1);
  const auto phases = edge_flows_of(exchange_of({64e6}, {}), world_of(cluster), cluster);
  EXPECT_EQ(phases[0].messages.size(), 64U);
}

// 2k = 8 kB in 3 rounds to 8 ranks at 1 GB/s and 20 us: 3 x 28 us; 5 and 7 ranks take 3 rounds too.
TEST(BinomialTree, TakesTheCeilingOfLog2Rounds) {
  for (const std::uint32_t ranks : {5U, 7U, 8U}) {
    const Collective broadcast{CollectiveKind::Broadcast, Algorithm::BinomialTree, {8e3}, 1};
    EXPECT_NEAR(cost(broadcast, slow_network(ranks, 1)), 3 * 28e-6, 1e-15);
  }
}

TEST(BinomialTree, ReachesEveryMemberOnce) {
  const Cluster cluster = slow_network(11, 1);
  const Collective broadcast{CollectiveKind::Broadcast, Algorithm::BinomialTree, {8e3}, 4};
  std::vector<bool> has(11);
  has[4] = true;
  for (const Round& round : steps_of(broadcast, world_of(cluster), cluster).rounds)
    for (const Message& message : round.messages) {
      EXPECT_TRUE(has[message.from]);
      EXPECT_FALSE(has[message.to]);
      has[message.to] = true;
    }
  EXPECT_EQ(std::ranges::count(has, true), 11);
}

TEST(Direct, SendsFromTheFirstHalfToTheSecond) {
  const Cluster cluster = slow_network(8, 1);
  const Collective send{CollectiveKind::Send, Algorithm::Direct, {1e6}};
  const StepPlan plan = steps_of(send, {{6, 0, 3, 2, 7}}, cluster);
  ASSERT_EQ(plan.rounds.size(), 1U);
  ASSERT_EQ(plan.rounds[0].messages.size(), 2U);
  EXPECT_EQ(plan.rounds[0].messages[0].from, 6U);
  EXPECT_EQ(plan.rounds[0].messages[0].to, 3U);
  EXPECT_EQ(plan.rounds[0].messages[1].from, 0U);
  EXPECT_EQ(plan.rounds[0].messages[1].to, 2U);
}

}  // namespace
}  // namespace stepcast
