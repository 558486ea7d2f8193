#include "models/collective/nccl/tuner.hpp"

#include <gtest/gtest.h>

#include "models/collective/collective.hpp"
#include "models/collective/nccl/on_links.hpp"

namespace stepcast {
namespace {

using namespace literals;
using nccl::Protocol;
using nccl::Shape;

/// Nodes of 4 V100 on NVLink with two EDR adapters.
nccl::Communicator volta(std::uint32_t nodes) {
  return {.ranks = 4 * nodes, .nodes = nodes, .bandwidth = {24e9}};
}

double microseconds(const nccl::Communicator& communicator, Shape shape, Protocol protocol,
                    Bytes size = 1.0_KiB) {
  return nccl::startup(communicator, shape, protocol, size).value * 1e6;
}

TEST(NcclTuner, StartsUpOnceAStepOfARingAndTwiceALevelOfATree) {
  // 32 ranks on 8 nodes: 62 steps, 14 of them between nodes; 3 hops inside a node and 3 levels. LL
  // takes 1.8 times as long inside nodes where there are several.
  EXPECT_NEAR(microseconds(volta(8), Shape::Ring, Protocol::LL128), 10 + 48 * 1.9 + 14 * 4, 1e-9);
  EXPECT_NEAR(microseconds(volta(8), Shape::Tree, Protocol::LL), 4.4 + 2 * (3 * .936 + 3 * 5),
              1e-9);
  EXPECT_NEAR(microseconds(volta(1), Shape::Ring, Protocol::LL), 3.6 + 6 * .47, 1e-9);
}

TEST(NcclTuner, RingsBetweenNodesPayMoreFromFourKibibytesARank) {
  EXPECT_NEAR(microseconds(volta(8), Shape::Ring, Protocol::Simple, 127.0_KiB),
              8.4 + 48 * 3.4 + 14 * 9.6, 1e-9);
  EXPECT_NEAR(microseconds(volta(8), Shape::Ring, Protocol::Simple, 128.0_KiB),
              1.9 * (8.4 + 48 * 3.4 + 14 * 9.6), 1e-9);
}

TEST(NcclTuner, SmallSizesTakeATreeOnManyNodesAndARingOnTwo) {
  // 20.0 us against 19.2 us on two nodes, 30.0 us against 34.7 us on four.
  EXPECT_EQ(nccl::choose(volta(2), Bytes{64}).shape, Shape::Ring);
  EXPECT_EQ(nccl::choose(volta(4), Bytes{64}).shape, Shape::Tree);
  EXPECT_EQ(nccl::choose(volta(4), Bytes{64}).protocol, Protocol::LL);
  EXPECT_EQ(nccl::tree_below(volta(2)), Bytes{});
}

TEST(NcclTuner, LargeSizesTakeARingAndSendDataAlone) {
  const nccl::Choice choice = nccl::choose(volta(4), 256.0_MiB);
  EXPECT_EQ(choice.shape, Shape::Ring);
  EXPECT_EQ(choice.protocol, Protocol::Simple);
}

TEST(NcclTuner, TakesLL128OnNvLinkAlone) {
  nccl::Communicator communicator = volta(4);
  EXPECT_EQ(nccl::choose(communicator, 1.0_MiB).protocol, Protocol::LL128);
  communicator.inside = NodePath::Pcie;
  for (Bytes size{64}; size < 64.0_MiB; size = size * 2)
    EXPECT_NE(nccl::choose(communicator, size).protocol, Protocol::LL128);
}

TEST(NcclTuner, TheSizeAtWhichTreesGiveWayTellsTheBandwidth) {
  nccl::Communicator communicator = volta(8);
  for (const Bytes below : {16.0_KiB, 64.0_KiB, 1.0_MiB}) {
    communicator.bandwidth = nccl::bandwidth_by_switch(communicator, below);
    EXPECT_EQ(nccl::tree_below(communicator), below);
  }
  EXPECT_EQ(nccl::bandwidth_by_switch(volta(2), Bytes{64}), BytesPerSecond{});
}

TEST(NcclTuner, TreesReachFurtherOnMoreNodes) {
  nccl::Communicator communicator = volta(8);
  const BytesPerSecond bandwidth = nccl::bandwidth_by_switch(communicator, 64.0_KiB);
  Bytes before = 64.0_KiB;
  for (const std::uint32_t nodes : {16U, 32U, 64U}) {
    communicator = volta(nodes);
    communicator.bandwidth = bandwidth;
    EXPECT_GT(nccl::tree_below(communicator), before);
    before = nccl::tree_below(communicator);
  }
}

Cluster pcie_cluster() {
  return {.name = "made",
          .nodes = 16,
          .gpus_per_node = 1,
          .intra_node = {80.0_Gbps, 5.0_us},
          .nic = {80.0_Gbps, 5.0_us}};
}

Seconds cost(Algorithm algorithm, Bytes size) {
  const Cluster cluster = pcie_cluster();
  return cost_of({.kind = CollectiveKind::AllReduce, .algorithm = algorithm, .size = size},
                 world_of(cluster), cluster);
}

TEST(NcclTuner, OverLinksIsTheRingOrTreeThatItTakes) {
  EXPECT_EQ(cost(Algorithm::Nccl, 256.0_MiB), cost(Algorithm::Ring, 256.0_MiB));
  // LL: a flag with every 4 bytes doubles them.
  EXPECT_EQ(cost(Algorithm::Nccl, 1.0_KiB), cost(Algorithm::DoubleBinaryTree, 2.0_KiB));
}

TEST(NcclTuner, FlowsOverLinksTakeWhatTheCollectiveCosts) {
  const Cluster cluster = pcie_cluster();
  for (const Bytes size : {1.0_KiB, 1.0_MiB, 256.0_MiB}) {
    const Collective collective{
        .kind = CollectiveKind::AllReduce, .algorithm = Algorithm::Nccl, .size = size};
    const Collective resolved = nccl::resolved(collective, world_of(cluster), cluster);
    EXPECT_EQ(edge_flows_of(collective, world_of(cluster), cluster).size(),
              edge_flows_of(resolved, world_of(cluster), cluster).size());
    EXPECT_EQ(steps_of(collective, world_of(cluster), cluster).rounds.size(),
              steps_of(resolved, world_of(cluster), cluster).rounds.size());
  }
}

}  // namespace
}  // namespace stepcast
