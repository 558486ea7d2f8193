#include "models/collective/collective.hpp"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "tests/models/collective/clusters.hpp"

namespace stepcast {
namespace {

// slow_network: GPU ports 4 GB/s and 5 us, NICs 1 GB/s and 20 us.

double cost(CollectiveKind kind, Algorithm algorithm, double size, const Cluster& cluster) {
  return cost_of({kind, algorithm, {size}}, world_of(cluster), cluster).value;
}

std::string error_of(const Collective& collective, const Group& group, const Cluster& cluster) {
  try {
    cost_of(collective, group, cluster);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// 4x2, 8 MB: 14 rounds of 1 MB chunks; an edge between nodes takes 20 us + 1 ms.
TEST(Ring, TakesRoundsTimesTheSlowestEdge) {
  const Cluster cluster = slow_network(4, 2);
  EXPECT_NEAR(cost(CollectiveKind::AllReduce, Algorithm::Ring, 8e6, cluster), 14 * 1.02e-3, 1e-14);
  EXPECT_NEAR(cost(CollectiveKind::ReduceScatter, Algorithm::Ring, 8e6, cluster), 7 * 1.02e-3,
              1e-14);
  EXPECT_NEAR(cost(CollectiveKind::AllGather, Algorithm::Ring, 8e6, cluster), 7 * 1.02e-3, 1e-14);
}

// 25 MB over 64 ranks at 1.25 GB/s with 14.5 us: 126 * (14.5 us + 390625 B / 1.25 GB/s) = 41.2 ms.
TEST(Ring, FollowsTheTextbookFormula) {
  Cluster cluster = slow_network(16, 4);
  cluster.nic = {{1.25e9}, {14.5e-6}};
  EXPECT_NEAR(cost(CollectiveKind::AllReduce, Algorithm::Ring, 25e6, cluster), 126 * 327e-6, 1e-12);
}

// Inside: 1 round of 4 MB: 5 us + 1 ms. Between, 4 nodes: 6 rounds of 1 MB, 2 rings share a NIC:
// 20 us + 2 ms. All-reduce: 2 * 1.005 + 6 * 2.02 = 14.13 ms.
TEST(HierarchicalRing, AddsTheRingsInsideAndBetweenNodes) {
  const Cluster cluster = slow_network(4, 2);
  EXPECT_NEAR(cost(CollectiveKind::AllReduce, Algorithm::HierarchicalRing, 8e6, cluster), 14.13e-3,
              1e-14);
  EXPECT_NEAR(cost(CollectiveKind::AllGather, Algorithm::HierarchicalRing, 8e6, cluster), 7.065e-3,
              1e-14);
}

TEST(HierarchicalRing, RefusesUnequalNodes) {
  const Cluster cluster = slow_network(2, 2);
  const Collective all_reduce{CollectiveKind::AllReduce, Algorithm::HierarchicalRing, {1e6}};
  EXPECT_EQ(error_of(all_reduce, {{0, 1, 2}}, cluster),
            "hierarchical-ring: expected the same number of ranks on every node of the group, "
            "found 2 on node 0 and 1 on node 1");
}

// 4 ranks, h = 2, 2 MB: (h-1)(M/B)/a = 2 ms / 20 us = 100, so k = 10 and a chunk of 100 kB takes
// 0.1 ms. A broadcast has 11 rounds of 20 us + 0.2 ms. Of the all-reduce's 2 * 11 rounds, two move
// only one chunk over each link: 20 * 0.22 + 2 * 0.12 = 4.64 ms.
TEST(DoubleBinaryTree, HasTwoChunksALinkInARoundExceptAtTheTwoRoots) {
  const Cluster cluster = slow_network(4, 1);
  EXPECT_NEAR(cost(CollectiveKind::Broadcast, Algorithm::DoubleBinaryTree, 2e6, cluster), 2.42e-3,
              1e-14);
  EXPECT_NEAR(cost(CollectiveKind::Reduce, Algorithm::DoubleBinaryTree, 2e6, cluster), 2.42e-3,
              1e-14);
  EXPECT_NEAR(cost(CollectiveKind::AllReduce, Algorithm::DoubleBinaryTree, 2e6, cluster), 4.64e-3,
              1e-14);
}

// Two ranks swap halves of 1 MB, twice: 2 * (20 us + 1 ms).
TEST(DoubleBinaryTree, SwapsHalvesBetweenTwoRanks) {
  EXPECT_NEAR(cost(CollectiveKind::AllReduce, Algorithm::DoubleBinaryTree, 2e6, slow_network(2, 1)),
              2.04e-3, 1e-14);
}

// Sum of a rank's sends in each steady round: no rank is an inner node of both trees.
TEST(DoubleBinaryTree, LoadsNoRankWithMoreThanTwoChunksARound) {
  for (const std::uint32_t ranks : {2U, 3U, 5U, 6U, 7U, 16U, 33U}) {
    const Cluster cluster = slow_network(ranks, 1);
    for (const CollectiveKind kind : {CollectiveKind::Broadcast, CollectiveKind::Reduce}) {
      const Collective collective{kind, Algorithm::DoubleBinaryTree, {1e8}, ranks / 2};
      for (const Round& round : steps_of(collective, world_of(cluster), cluster).rounds) {
        std::map<Rank, int> sent;
        std::map<Rank, int> received;
        for (const Message& message : round.messages) {
          EXPECT_LE(++sent[message.from], 2) << ranks;
          EXPECT_LE(++received[message.to], 2) << ranks;
        }
      }
    }
  }
}

// 4x2, 8 MB: 4 MB inside (5 us + 1 ms), then 2 MB and 1 MB across, 2 ranks a NIC (20 us + 4 ms,
// 20 us + 2 ms): 7.045 ms; the all-reduce goes there and back.
TEST(HalvingDoubling, SendsTheLargePiecesInsideTheNode) {
  const Cluster cluster = slow_network(4, 2);
  EXPECT_NEAR(cost(CollectiveKind::ReduceScatter, Algorithm::HalvingDoubling, 8e6, cluster),
              7.045e-3, 1e-14);
  EXPECT_NEAR(cost(CollectiveKind::AllReduce, Algorithm::HalvingDoubling, 8e6, cluster), 14.09e-3,
              1e-14);
}

// Three ranks of 1 GB/s and 20 us: 3 MB in, swaps of 1.5 MB twice, 3 MB out; 4 * 20 us + 9 ms.
TEST(HalvingDoubling, FoldsRanksBeyondThePowerOfTwoIn) {
  const Cluster cluster = slow_network(3, 1);
  EXPECT_NEAR(cost(CollectiveKind::AllReduce, Algorithm::HalvingDoubling, 3e6, cluster), 9.08e-3,
              1e-14);
  // 3 MB in, 1.5 MB, and the result of 1 MB out.
  EXPECT_NEAR(cost(CollectiveKind::ReduceScatter, Algorithm::HalvingDoubling, 3e6, cluster),
              5.56e-3, 1e-14);
}

// 2x2, shares of 1 MB. Rounds 1 and 3: one of two ranks crosses: 20 us + 1 ms. Round 2: both.
TEST(Pairwise, AddsUpRoundsByHowManyShareANic) {
  EXPECT_NEAR(cost(CollectiveKind::AllToAll, Algorithm::Pairwise, 4e6, slow_network(2, 2)),
              2 * 1.02e-3 + 2.02e-3, 1e-14);
}

// Shares of 1 MB between 3 x 2: a flow for each of the 6 pairs of nodes, with 4 MB.
TEST(Pairwise, GathersFlowsByPairOfNodes) {
  const Cluster cluster = slow_network(3, 2);
  const Collective all_to_all{CollectiveKind::AllToAll, Algorithm::Pairwise, {6e6}};
  const auto phases = edge_flows_of(all_to_all, world_of(cluster), cluster);
  ASSERT_EQ(phases.size(), 1U);
  EXPECT_EQ(phases[0].messages.size(), 6U);
  for (const Message& message : phases[0].messages)
    EXPECT_DOUBLE_EQ(message.size.value, 4e6);
}

// 5 ranks, 3 MB in 512 chunks of 5.9 kB: 4 start-ups of 20 us and 3 + 512 chunks of 3 ms / 512.
// 100 kB are 24 chunks of at least 4 KiB.
TEST(Chain, PipelinesChunksWhoseStartUpsAreHiddenButTheFirst) {
  EXPECT_NEAR(cost(CollectiveKind::Broadcast, Algorithm::Chain, 3e6, slow_network(5, 1)),
              4 * 20e-6 + 515 * 3e-3 / 512, 1e-14);
  EXPECT_NEAR(cost(CollectiveKind::Reduce, Algorithm::Chain, 3e6, slow_network(5, 1)),
              4 * 20e-6 + 515 * 3e-3 / 512, 1e-14);
  EXPECT_NEAR(cost(CollectiveKind::Broadcast, Algorithm::Chain, 1e5, slow_network(5, 1)),
              4 * 20e-6 + 27 * 1e-4 / 24, 1e-14);
}

TEST(Chain, DoesNotCutWhatCrossesOneEdge) {
  EXPECT_NEAR(cost(CollectiveKind::Broadcast, Algorithm::Chain, 3e6, slow_network(2, 1)), 3.02e-3,
              1e-14);
}

TEST(Chain, StartsAtTheRootOfABroadcastAndEndsAtThatOfAReduce) {
  const Cluster cluster = slow_network(4, 1);
  Collective chain{CollectiveKind::Broadcast, Algorithm::Chain, {1e6}, 2};
  EXPECT_EQ(steps_of(chain, world_of(cluster), cluster).rounds.front().messages[0].from, 2U);
  EXPECT_EQ(steps_of(chain, world_of(cluster), cluster).rounds.back().messages[0].to, 1U);
  chain.kind = CollectiveKind::Reduce;
  EXPECT_EQ(steps_of(chain, world_of(cluster), cluster).rounds.front().messages[0].from, 3U);
  EXPECT_EQ(steps_of(chain, world_of(cluster), cluster).rounds.back().messages[0].to, 2U);
}

TEST(Collective, OfOneRankOrNoBytesIsFree) {
  const Cluster cluster = slow_network(2, 2);
  for (const CollectiveKind kind : all_collective_kinds()) {
    const Algorithm algorithm = default_algorithm(kind);
    EXPECT_EQ(cost_of({kind, algorithm, {1e6}}, {{3}}, cluster), Seconds{});
    EXPECT_EQ(cost_of({kind, algorithm, {}}, world_of(cluster), cluster), Seconds{});
    EXPECT_TRUE(edge_flows_of({kind, algorithm, {1e6}}, {{3}}, cluster).empty());
    EXPECT_TRUE(steps_of({kind, algorithm, {}}, world_of(cluster), cluster).rounds.empty());
  }
}

TEST(Collective, HasAnAlgorithmForEachPairOrRefusesIt) {
  const Cluster cluster = slow_network(2, 2);
  std::size_t supported = 0;
  for (const CollectiveKind kind : all_collective_kinds()) {
    EXPECT_TRUE(supports(default_algorithm(kind), kind));
    for (const Algorithm algorithm : all_algorithms()) {
      const Collective collective{kind, algorithm, {1e6}};
      if (supports(algorithm, kind)) {
        ++supported;
        EXPECT_GT(cost_of(collective, world_of(cluster), cluster), Seconds{});
        EXPECT_FALSE(edge_flows_of(collective, world_of(cluster), cluster).empty());
        EXPECT_FALSE(steps_of(collective, world_of(cluster), cluster).rounds.empty());
      } else {
        EXPECT_THROW(cost_of(collective, world_of(cluster), cluster), InputError);
        EXPECT_THROW(edge_flows_of(collective, world_of(cluster), cluster), InputError);
        EXPECT_THROW(steps_of(collective, world_of(cluster), cluster), InputError);
        EXPECT_THROW(sent_per_rank(collective, 4), InputError);
      }
    }
  }
  // ring, hierarchical, halving; tree; pairwise; chain; star; binomial; direct; nccl
  EXPECT_EQ(supported, 3U * 3 + 3 + 1 + 2 + 2 + 2 + 1 + 1);
}

TEST(Collective, ErrorsNameWhatWouldBeRight) {
  const Cluster cluster = slow_network(2, 2);
  EXPECT_EQ(
      error_of({CollectiveKind::Broadcast, Algorithm::Ring, {1e6}}, world_of(cluster), cluster),
      "collective: expected an algorithm for broadcast (double-binary-tree, chain, "
      "binomial-tree), found ring");
  EXPECT_EQ(
      error_of({CollectiveKind::Reduce, Algorithm::Chain, {1e6}, 4}, world_of(cluster), cluster),
      "collective: expected a root below 4 (the group's size), found 4");
}

// On two GPUs of one node a star's broadcast would take half of what the wire takes for the buffer.
TEST(Collective, AServersStarIsNoBroadcastOfOneRank) {
  for (const CollectiveKind kind : {CollectiveKind::Broadcast, CollectiveKind::Reduce}) {
    EXPECT_TRUE(supports(Algorithm::Star, kind));
    EXPECT_EQ(algorithms_for(kind),
              (std::vector<Algorithm>{Algorithm::DoubleBinaryTree, Algorithm::Chain,
                                      Algorithm::BinomialTree}));
  }
}

// A closed form reads a group as if it began at rank 0 of a node; one that does not must not
// differ.
TEST(Collective, CostsTheSameOnAnyWholeNodes) {
  const Cluster cluster = slow_network(6, 2);
  for (const CollectiveKind kind : all_collective_kinds())
    for (const Algorithm algorithm : all_algorithms())
      if (supports(algorithm, kind)) {
        const Collective collective{kind, algorithm, {1e6}};
        const double inner = cost_of(collective, {{4, 5, 6, 7, 8, 9, 10, 11}}, cluster).value;
        const Group reordered{{10, 11, 0, 1, 8, 9, 4, 5}};  // Same shape, by the general path.
        EXPECT_NEAR(cost_of(collective, reordered, cluster).value, inner, 1e-12 * inner);
      }
}

TEST(Collective, SendsWhatItsStepsSend) {
  for (const Cluster& cluster : {slow_network(3, 2), slow_network(4, 2), slow_network(7, 1)})
    for (const CollectiveKind kind : all_collective_kinds())
      for (const Algorithm algorithm : all_algorithms())
        if (supports(algorithm, kind)) {
          const Collective collective{kind, algorithm, {3e6}, 1};
          double sent = 0;
          for (const Round& round : steps_of(collective, world_of(cluster), cluster).rounds)
            for (const Message& message : round.messages)
              sent += message.size.value * round.repeat;
          EXPECT_NEAR(sent_per_rank(collective, cluster.ranks()).value, sent / cluster.ranks(),
                      1e-9 * sent)
              << name_of(kind) << " " << name_of(algorithm);
        }
}

// 8 MB over 8 ranks: 14 chunks of 1 MB over each ring edge, and one edge out of each of 4 nodes.
TEST(Collective, RingFlowsCarryTheRingsVolumeBetweenNodes) {
  const Cluster cluster = slow_network(4, 2);
  const Collective all_reduce{CollectiveKind::AllReduce, Algorithm::Ring, {8e6}};
  const auto phases = edge_flows_of(all_reduce, world_of(cluster), cluster);
  ASSERT_EQ(phases.size(), 1U);
  EXPECT_NEAR(phases[0].startup.value, 14 * 20e-6, 1e-15);
  ASSERT_EQ(phases[0].messages.size(), 4U);
  for (std::uint32_t node = 0; node < 4; ++node) {
    const Message& message = phases[0].messages[node];
    EXPECT_EQ(message.from, 2 * node + 1);
    EXPECT_EQ(message.to, (2 * node + 2) % 8);
    EXPECT_DOUBLE_EQ(message.size.value, 14e6);
  }
}

TEST(Collective, BusFactorsAreThoseOfNcclTests) {
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveKind::AllReduce, 64), 2 * 63 / 64.0);
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveKind::ReduceScatter, 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveKind::AllGather, 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveKind::AllToAll, 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveKind::Broadcast, 4), 1);
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveKind::Reduce, 4), 1);
}

TEST(Collective, NamesFindWhatTheyName) {
  EXPECT_EQ(all_collective_kinds().size(), 7U);
  EXPECT_EQ(all_algorithms().size(), 10U);
  for (const CollectiveKind kind : all_collective_kinds())
    EXPECT_EQ(find_collective_kind(name_of(kind)), kind);
  for (const Algorithm algorithm : all_algorithms())
    EXPECT_EQ(find_algorithm(name_of(algorithm)), algorithm);
  EXPECT_FALSE(find_collective_kind("allreduce"));
  EXPECT_FALSE(find_algorithm("Ring"));
}

}  // namespace
}  // namespace stepcast
