#include "models/network/cluster.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

using namespace literals;

/// 8 nodes of 2 GPUs in racks of 3: racks of ranks 0-5, 6-11 and 12-15.
Cluster racked_cluster() {
  Cluster cluster;
  cluster.nodes = 8;
  cluster.gpus_per_node = 2;
  cluster.intra_node = {80.0_Gbps, 1.0_us};
  cluster.nic = {10.0_Gbps, 10.0_us};
  cluster.rack = RackLevel{.nodes = 3, .oversubscription = 4, .startup = 5.0_us};
  return cluster;
}

TEST(Cluster, WorldHoldsEveryRankInOrder) {
  const Group world = world_of(racked_cluster());
  ASSERT_EQ(world.size(), 16U);  // 8 * 2
  for (Rank rank = 0; rank < 16; ++rank)
    EXPECT_EQ(world.ranks[rank], rank);
}

TEST(Cluster, RanksFillNodesAndNodesFillRacks) {
  const Cluster cluster = racked_cluster();
  EXPECT_EQ(node_of(cluster, 5), 2U);
  EXPECT_EQ(rack_of(cluster, 5), 0U);
  EXPECT_EQ(rack_of(cluster, 6), 1U);
  EXPECT_EQ(rack_of(cluster, 15), 2U);
}

TEST(Cluster, WithoutRacksEveryRankIsInRackZero) {
  Cluster cluster = racked_cluster();
  cluster.rack.reset();
  EXPECT_EQ(rack_of(cluster, 15), 0U);
}

TEST(Cluster, UplinkCarriesTheRacksAdaptersOverTheOversubscription) {
  // 3 nodes * 10 Gb/s / 4 = 7.5 Gb/s
  EXPECT_DOUBLE_EQ(uplink_bandwidth(racked_cluster()).value, (7.5_Gbps).value);
}

TEST(Cluster, StartupGrowsWithTheDistance) {
  const Cluster cluster = racked_cluster();
  EXPECT_DOUBLE_EQ(startup_of(cluster, 0, 1).value, 1e-6);   // same node
  EXPECT_DOUBLE_EQ(startup_of(cluster, 0, 2).value, 10e-6);  // same rack
  EXPECT_DOUBLE_EQ(startup_of(cluster, 5, 6).value, 15e-6);  // next rack: 10 + 5
}

TEST(Cluster, AFewGpusCopyLessThanTheirNicCarries) {
  Cluster cluster = racked_cluster();  // 2 GPUs behind 10 Gb/s.
  cluster.nic_per_gpu = 4.0_Gbps;
  EXPECT_EQ(node_link(cluster).bandwidth, 8.0_Gbps);
  cluster.gpus_per_node = 1;
  EXPECT_EQ(node_link(cluster).bandwidth, 4.0_Gbps);
  cluster.gpus_per_node = 4;
  EXPECT_EQ(node_link(cluster).bandwidth, 10.0_Gbps);
}

TEST(Cluster, JitterBetweenNodesIsAStepAtTheFirstBoundary) {
  Cluster cluster = racked_cluster();
  cluster.software.jitter_between_nodes = 0.02;
  EXPECT_DOUBLE_EQ(jitter_scale(cluster), 1.02);
  cluster.software.jitter = 0.1;
  cluster.nodes = 2;  // 4 ranks: 1/2 + 1/3 + 1/4 of it.
  EXPECT_DOUBLE_EQ(jitter_scale(cluster), 1.02 + 0.1 * 13 / 12);
  cluster.nodes = 1;  // 2 ranks: 1/2.
  EXPECT_DOUBLE_EQ(jitter_scale(cluster), 1.05);
}

}  // namespace
}  // namespace stepcast
