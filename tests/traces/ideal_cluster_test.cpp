#include "traces/ideal_cluster.hpp"

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

TEST(IdealCluster, CostsNothingButBandwidth) {
  const auto cluster = find_ideal_cluster("ideal-16x4");
  ASSERT_TRUE(cluster);
  EXPECT_EQ(cluster->name, "ideal-16x4");
  EXPECT_EQ(cluster->nodes, 16U);
  EXPECT_EQ(cluster->gpus_per_node, 4U);
  EXPECT_DOUBLE_EQ(cluster->nic.bandwidth.value, 12.5e9);        // 100 Gb/s
  EXPECT_DOUBLE_EQ(cluster->intra_node.bandwidth.value, 100e9);  // 100 GB/s
  const Software& software = cluster->software;
  const Seconds costs = cluster->nic.startup + cluster->intra_node.startup +
                        software.collective_launch + software.horovod_cycle +
                        software.negotiation_per_cycle + software.negotiation_per_request;
  EXPECT_EQ(costs, Seconds{0});
  EXPECT_EQ(cluster->overlap.compute_slowdown, 0);
  EXPECT_EQ(cluster->provenance.kind, ProvenanceKind::Assumed);
}

TEST(IdealCluster, OtherNamesAreNotIdeal) {
  EXPECT_FALSE(find_ideal_cluster("rtx2080ti-16x4-10gbe"));
  EXPECT_FALSE(find_ideal_cluster("idea"));
}

TEST(IdealCluster, RefusesSizesThatAreNone) {
  EXPECT_EQ(input_error_of([] { find_ideal_cluster("ideal-0x4"); }),
            "cluster \"ideal-0x4\": expected a whole number from 1 on, found \"0\"");
  for (const char* name : {"ideal-", "ideal-4", "ideal-4x", "ideal-x4", "ideal-4x4x4", "ideal--1x4",
                           "ideal-65536x65536"}) {
    EXPECT_THROW(find_ideal_cluster(name), InputError) << name;
  }
}

}  // namespace
}  // namespace stepcast
