#include <gtest/gtest.h>

#include "sim/jobs/diagnose/diagnosis_parts.hpp"
#include "tests/support/small_job.hpp"

namespace stepcast {
namespace {

Cluster made_cluster() {
  Cluster cluster{.name = "made", .nodes = 1, .gpus_per_node = 1};
  cluster.intra_node = {.bandwidth = BytesPerSecond{4e9}};
  cluster.nic = {.bandwidth = BytesPerSecond{1e9}};
  return cluster;
}

Diagnosis with_size(Bytes size) {
  SmallJob small = overlapping();
  small.job().kinds[kReduce].size = size;
  return small.diagnosis();
}

// 6 MB take 3 ms; two ranks of a node exchange them at 4 GB/s, on two nodes at 1 GB/s.
TEST(ClusterBandwidthsTest, RanksAreOnNodesInTheirOrder) {
  Diagnosis diagnosis = with_size(Bytes{6e6});
  Cluster cluster = made_cluster();
  add_cluster_bandwidths(cluster, diagnosis);
  EXPECT_EQ(diagnosis.cluster, "made");
  EXPECT_NEAR(diagnosis.meetings[0].bus_bandwidth->value, 2e9, 1);
  EXPECT_NEAR(diagnosis.meetings[0].cluster_bandwidth->value, 1e9, 1e6);
  cluster.gpus_per_node = 2;
  add_cluster_bandwidths(cluster, diagnosis);
  EXPECT_NEAR(diagnosis.meetings[0].cluster_bandwidth->value, 4e9, 4e6);
}

TEST(ClusterBandwidthsTest, WithoutASizeNothingIsCompared) {
  Diagnosis diagnosis = with_size({});
  add_cluster_bandwidths(made_cluster(), diagnosis);
  EXPECT_FALSE(diagnosis.meetings[0].cluster_bandwidth);
}

// Of four ranks two are recorded: which the others of a collective of three are nobody knows.
TEST(ClusterBandwidthsTest, OfGroupsThatAreNotWholeOnlyTheWorldIsKnown) {
  for (const std::uint32_t joined : {3U, 4U}) {
    SmallJob small = overlapping();
    small.job().gpus = 4;
    small.job().kinds[kReduce].size = Bytes{6e6};
    small.job().kinds[kReduce].ranks = joined;
    Diagnosis diagnosis = small.diagnosis();
    add_cluster_bandwidths(made_cluster(), diagnosis);
    EXPECT_EQ(diagnosis.meetings[0].cluster_bandwidth.has_value(), joined == 4);
  }
}

}  // namespace
}  // namespace stepcast
