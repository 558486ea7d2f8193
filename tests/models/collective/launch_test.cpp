#include <gtest/gtest.h>

#include "models/collective/collective.hpp"

namespace stepcast {
namespace {

using namespace literals;

TEST(Launch, PointToPointMessagesBetweenNodesHaveALaunchOfTheirOwn) {
  Cluster cluster{.nodes = 2, .gpus_per_node = 2};
  cluster.software.collective_launch = 10.0_us;
  cluster.software.point_to_point_launch = 30.0_us;
  const auto launch = [&](CollectiveKind kind, const Group& group) {
    return launch_of({.kind = kind, .algorithm = default_algorithm(kind), .size = 1.0_MiB}, group,
                     cluster);
  };
  EXPECT_EQ(launch(CollectiveKind::AllToAll, world_of(cluster)), 40.0_us);
  EXPECT_EQ(launch(CollectiveKind::Send, {{0, 2}}), 40.0_us);
  EXPECT_EQ(launch(CollectiveKind::Send, {{0, 1}}), 10.0_us);
  EXPECT_EQ(launch(CollectiveKind::AllReduce, world_of(cluster)), 10.0_us);
}

}  // namespace
}  // namespace stepcast
