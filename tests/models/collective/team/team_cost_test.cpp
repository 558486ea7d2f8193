#include "models/collective/team/team_cost.hpp"

#include <gtest/gtest.h>

#include "models/network/layout.hpp"
#include "tests/support/examples.hpp"

namespace stepcast {
namespace {

// Four nodes of four GPUs; ports of 10 GB/s, NICs of 1 GB/s.
const Cluster kCluster = examples::plain_cluster(4, 4);
const Layout kLayout(kCluster, {{Axis::Tensor, 4}, {Axis::Data, 4}});
const Collective kSum{.size = Bytes{1e6}};

Seconds cost_of_first(const Team& team, const Cluster& cluster = kCluster) {
  return cost_in_team(kSum, team.groups.front(), sharing_of(team, cluster).front(), cluster);
}

TEST(TeamCost, OneGroupHasTheLinksToItself) {
  const Team world = kLayout.world();
  EXPECT_EQ(sharing_of(world, kCluster).front().on_nic, 1U);
  EXPECT_EQ(cost_of_first(world), cost_of(kSum, world.groups.front(), kCluster));
}

TEST(TeamCost, GroupsInsideNodesShareNoNic) {
  const Team inside = kLayout.along(Axis::Tensor);
  EXPECT_EQ(sharing_of(inside, kCluster).front().on_nic, 1U);
  // 2 * 3/4 of 1 MB over a port.
  EXPECT_NEAR(cost_of_first(inside).value, 1.5e-4, 1e-12);
}

TEST(TeamCost, GroupsAcrossNodesShareTheirNics) {
  const Team across = kLayout.along(Axis::Data);
  EXPECT_EQ(sharing_of(across, kCluster).front().on_nic, 4U);
  // 2 * 3/4 of 1 MB over a fourth of a NIC; a rail that is alone has it to itself.
  EXPECT_NEAR(cost_of_first(across).value, 6e-3, 1e-12);
  EXPECT_NEAR(cost_of_first(kLayout.along(Axis::Data).at(Axis::Tensor, 1)).value, 1.5e-3, 1e-12);
}

TEST(TeamCost, UplinksAreSharedByTheGroupsThatLeaveTheRack) {
  // Racks of two nodes with an uplink of 2 GB/s / 4: a fourth of .5 GB/s for each of four rings.
  Cluster cluster = kCluster;
  cluster.rack = RackLevel{.nodes = 2, .oversubscription = 4};
  const Team across = kLayout.along(Axis::Data);
  EXPECT_EQ(sharing_of(across, cluster).front().on_uplink, 4U);
  EXPECT_NEAR(cost_of_first(across, cluster).value, 1.5e-3 / (0.5 / 4), 1e-12);
}

}  // namespace
}  // namespace stepcast
