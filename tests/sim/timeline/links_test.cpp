#include "sim/timeline/links.hpp"

#include <gtest/gtest.h>

#include "tests/sim/timeline/hand_made.hpp"

namespace stepcast {
namespace {

// A ring all-reduce of b bytes over 4 ranks sends 2 * 3/4 b over every edge. The ring leaves each
// of the two nodes once, so a NIC carries as much as a GPU port.
TEST(LinksTest, ARingLoadsEveryNicAndEveryPortAlike) {
  const Seconds iteration = ms(10);
  const auto loads = link_loads_of(serial_plan(), small_cluster(), iteration);
  ASSERT_EQ(loads.size(), 2U);
  EXPECT_EQ(loads[0].name, "every NIC (2 alike)");
  EXPECT_NEAR(loads[0].bytes.value, 1.5e6, 1e-3);
  EXPECT_NEAR(loads[0].utilisation, 1.5e6 / (0.5e9 * 10e-3), 1e-9);  // 30 %
  EXPECT_EQ(loads[1].name, "every GPU port (4 alike)");
  EXPECT_NEAR(loads[1].bytes.value, 1.5e6, 1e-3);
  EXPECT_NEAR(loads[1].utilisation, 0.15, 1e-9);
}

TEST(LinksTest, CollectivesOfOneKindAddUp) {
  const std::vector<HandTask> tasks = {
      {TaskKind::Communication, "a", {{0, 1}}, 1, CollectiveKind::AllReduce, Bytes{1e6}},
      {TaskKind::Communication, "b", {{1, 2}}, 1, CollectiveKind::AllReduce, Bytes{3e6}}};
  const Plan plan = plan_of(tasks, {}, {});
  EXPECT_NEAR(link_loads_of(plan, small_cluster(), ms(10))[0].bytes.value, 6e6, 1e-3);
  EXPECT_NEAR(sent_per_gpu(plan, small_cluster()).value, 6e6, 1e-3);
}

// Only ranks 0 and 1, which share node 0, communicate: 2 * 1/2 * 1e6 bytes each. No NIC is used.
TEST(LinksTest, AGroupInsideANodeLoadsItsPortsOnly) {
  const std::vector<HandTask> tasks = {
      {TaskKind::Communication, "a", {{0, 1}}, 1, CollectiveKind::AllReduce, Bytes{1e6}, 1}};
  Plan plan = plan_of(tasks, {}, {});
  plan.teams.push_back({{{{0, 1}}}});
  const auto loads = link_loads_of(plan, small_cluster(), ms(10));
  ASSERT_EQ(loads.size(), 4U);  // the three busiest ports, and the NICs, alike
  EXPECT_EQ(loads[0].name, "GPU port of rank 0, out");
  EXPECT_NEAR(loads[0].bytes.value, 1e6, 1e-3);
  EXPECT_EQ(loads[3].name, "every NIC (2 alike)");
  EXPECT_DOUBLE_EQ(loads[3].bytes.value, 0);
  // Two of four GPUs send 1e6 bytes each.
  EXPECT_NEAR(sent_per_gpu(plan, small_cluster()).value, 0.5e6, 1e-3);
}

TEST(LinksTest, AOneNodeClusterHasNoNic) {
  Cluster cluster = small_cluster();
  cluster.nodes = 1;
  cluster.gpus_per_node = 4;
  const auto loads = link_loads_of(serial_plan(), cluster, ms(10));
  ASSERT_EQ(loads.size(), 1U);
  EXPECT_EQ(loads[0].name, "every GPU port (4 alike)");
}

// Racks of one node at 2:1: the uplink carries what the NIC does at half the bandwidth.
TEST(LinksTest, AnOversubscribedUplinkIsBusiest) {
  Cluster cluster = small_cluster();
  cluster.rack = RackLevel{.nodes = 1, .oversubscription = 2};
  const auto loads = link_loads_of(serial_plan(), cluster, ms(10));
  ASSERT_EQ(loads.size(), 3U);
  EXPECT_EQ(loads[0].name, "every rack uplink (2 alike)");
  EXPECT_NEAR(loads[0].utilisation, 0.6, 1e-9);
}

}  // namespace
}  // namespace stepcast
