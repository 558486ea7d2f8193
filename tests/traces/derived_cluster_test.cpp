#include "traces/derived_cluster.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "traces/catalog.hpp"
#include "traces/formats/stepcast/cluster_file.hpp"

namespace stepcast {
namespace {

using namespace literals;

bool has_note(const Cluster& cluster, const std::string& begin) {
  return std::ranges::any_of(cluster.provenance.notes,
                             [&](const std::string& note) { return note.starts_with(begin); });
}

TEST(ClusterText, EveryShippedClusterComesBackAsItWas) {
  for (const std::string& name : list_names(CatalogKind::Cluster)) {
    const Cluster cluster = load_cluster(name);
    const Cluster back = parse_cluster(to_json_text(cluster), name);
    for (const ClusterField& field : cluster_fields())
      EXPECT_EQ(field_text(back, field.path), field_text(cluster, field.path)) << field.path;
    EXPECT_EQ(back.nic.bandwidth, cluster.nic.bandwidth) << name;
    EXPECT_EQ(back.software.negotiation_per_request, cluster.software.negotiation_per_request);
    EXPECT_EQ(back.costs_not_given, cluster.costs_not_given) << name;
    EXPECT_EQ(back.provenance.notes, cluster.provenance.notes) << name;
    EXPECT_EQ(back.measured.has_value(), cluster.measured.has_value()) << name;
  }
}

TEST(ClusterText, WritesRacksAndAdapters) {
  Cluster cluster = load_cluster("h100-8x8");
  cluster.rack = RackLevel{4, 1.5, 1.0_us};
  const Cluster back = parse_cluster(to_json_text(cluster), "mine.json");
  EXPECT_EQ(back.nics, 8U);
  ASSERT_TRUE(back.rack);
  EXPECT_EQ(back.rack->nodes, 4U);
  EXPECT_EQ(back.rack->oversubscription, 1.5);
}

TEST(DerivedCluster, TakesOverTheCostsOfTheNearestAndSaysSoOfEach) {
  const Cluster from = load_cluster("h100-8x8");
  const Cluster cluster =
      derived_cluster(from, {.nodes = 32, .nics = 4, .nic_bandwidth = 200.0_Gbps});
  EXPECT_EQ(cluster.name, "h100-32x8-4x200gbps");
  EXPECT_EQ(cluster.ranks(), 256U);
  EXPECT_EQ(node_link(cluster).bandwidth, 800.0_Gbps);
  EXPECT_EQ(cluster.provenance.kind, ProvenanceKind::Assumed);
  EXPECT_TRUE(has_note(cluster, "nodes: 32 as given"));
  EXPECT_TRUE(has_note(cluster, "nic.bandwidth: assumed: 25GBps as given"));
  EXPECT_TRUE(
      has_note(cluster,
               "software.negotiation_per_cycle: assumed: 20us as in h100-8x8, which says of "
               "it: assumed: as in v100-32x4-edr"));
  EXPECT_TRUE(has_note(cluster, "software.ps_per_partition: not given, as in h100-8x8"));
  for (const ClusterField& field : cluster_fields()) {
    const bool is_there = field.path != "name" && !field.path.starts_with("rack.") &&
                          field.presence != Presence::Rare;
    EXPECT_EQ(has_note(cluster, field.path + ": "), is_there) << field.path;
  }
  // What the file says of itself is what a reader finds.
  EXPECT_EQ(parse_cluster(to_json_text(cluster), "mine.json").costs_not_given,
            from.costs_not_given);
}

TEST(DerivedCluster, MeasuredCurvesStayOnlyWhereTheLinksDo) {
  const Cluster from = load_cluster("v100-32x4-edr");
  EXPECT_TRUE(derived_cluster(from, {.nodes = 64}).measured);
  const Cluster other = derived_cluster(from, {.nics = 2, .nic_bandwidth = 100.0_Gbps});
  EXPECT_FALSE(other.measured);
  EXPECT_TRUE(has_note(other, "collectives: none: v100-32x4-edr-nccl was measured on"));
}

TEST(DerivedCluster, AnotherDevicesMemoryIsNotTakenOver) {
  const Cluster cluster = derived_cluster(load_cluster("v100-32x4-edr"), {.device = "a100"});
  EXPECT_EQ(cluster.device.memory, Bytes{});
  EXPECT_EQ(std::ranges::count(cluster.costs_not_given, "device_memory_bandwidth"), 1);
  EXPECT_TRUE(has_note(cluster, "device_memory: not given"));
}

// It carried the jitter of a V100 cluster, 11.4 % of compute on 64 GPUs.
TEST(DerivedCluster, TheH100ThatDocumentsRecommendHasNoJitterOfAV100) {
  EXPECT_EQ(jitter_scale(derived_cluster(load_cluster("h100-8x8"), {.nodes = 8})), 1);
}

TEST(DerivedCluster, AnotherDevicesCostsJitterAndCurvesAreNotTakenOver) {
  const Cluster from = load_cluster("v100-32x4-edr");
  ASSERT_GT(jitter_scale(from), 1);
  const Cluster cluster = derived_cluster(from, {.device = "a100"});
  EXPECT_EQ(jitter_scale(cluster), 1);
  EXPECT_EQ(cluster.software.negotiation_per_cycle, Seconds{});
  EXPECT_FALSE(cluster.measured);
  for (const char* path : {"software.jitter", "software.negotiation_per_cycle"}) {
    EXPECT_EQ(std::ranges::count(cluster.costs_not_given, path), 1) << path;
    EXPECT_TRUE(has_note(
        cluster, std::string(path) + ": not given: that of v100-32x4-edr is another device's"));
  }
  EXPECT_NE(cluster.provenance.caveats.back().find("v100-32x4-edr has another device"),
            std::string::npos);
  // A default of Horovod's is no cost of the machine.
  EXPECT_EQ(cluster.software.horovod_fusion, from.software.horovod_fusion);
}

// A K80's jitter is a V100's: who takes it over is told so. 0.0304 (1/2 + .. + 1/32) = 9.3 %.
TEST(DerivedCluster, ACostThatIsPassedOnSaysWhereItIsFrom) {
  const Cluster cluster = derived_cluster(load_cluster("k80-8x8-ec2"), {.nodes = 4});
  EXPECT_TRUE(has_note(cluster,
                       "software.jitter: assumed: 0.0304 as in k80-8x8-ec2, which says of it: "
                       "assumed: as on v100-32x4-edr"));
  EXPECT_NE(
      cluster.provenance.caveats.back().find("its jitter adds 9.3 % to compute on these 32 GPUs"),
      std::string::npos)
      << cluster.provenance.caveats.back();
}

// They were 904 and 814 ms of one job.
TEST(ShippedClusters, OfOneMachineAgree) {
  Cluster one = load_cluster("dgx-h100");
  one.nodes = 8;
  const Cluster other = load_cluster("h100-8x8");
  for (const ClusterField& field : cluster_fields()) {
    if (field.path == "name")
      continue;
    EXPECT_EQ(field_text(one, field.path), field_text(other, field.path)) << field.path;
  }
  EXPECT_EQ(one.costs_not_given, other.costs_not_given);
}

TEST(DerivedCluster, AdaptersAreACountAndABandwidth) {
  EXPECT_EQ(parse_adapters("8x400Gbps").count, 8U);
  EXPECT_EQ(parse_adapters("8x400Gbps").bandwidth, 400.0_Gbps);
  EXPECT_EQ(parse_adapters("100Gbps").count, 1U);
  for (const char* wrong : {"8x", "x400Gbps", "0x400Gbps", "8*400Gbps", "400"})
    EXPECT_TRUE(input_error_of([&] {
                  parse_adapters(wrong);
                }).starts_with("expected the adapters of a node such as 8x400Gbps"))
        << wrong;
}

}  // namespace
}  // namespace stepcast
