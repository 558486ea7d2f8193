#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/input_error.hpp"
#include "traces/formats/stepcast/cluster_file.hpp"

namespace stepcast {
namespace {

using nlohmann::json;

json full_cluster() {
  return json::parse(R"({
    "format": "stepcast-cluster", "version": 1, "name": "test-4x2", "nodes": 4, "gpus_per_node": 2,
    "device": "v100", "device_memory": "32GiB", "device_memory_bandwidth": "900GBps",
    "intra_node": {"bandwidth": "12GBps", "startup": "3us"},
    "nic": {"bandwidth": "10Gbps", "startup": "14.5us"},
    "rack": {"nodes": 2, "oversubscription": 1.5, "startup": "1us"},
    "overlap": {"compute_slowdown": 0.07},
    "software": {"collective_launch": "50us", "horovod_cycle": "5ms", "horovod_fusion": "64MiB",
                 "negotiation_per_cycle": "0.5ms", "negotiation_per_request": "2us"},
    "provenance": {"kind": "measured", "source": "us", "notes": ["nic.bandwidth: iperf"]}})");
}

Cluster parse(const json& file) {
  return parse_cluster(file.dump(), "c.json");
}

/// The error for the full cluster after `change` has been applied as a JSON merge patch.
std::string error_after(const char* change) {
  json file = full_cluster();
  file.merge_patch(json::parse(change));
  return input_error_of([&] { parse(file); });
}

TEST(ClusterReader, ReadsEveryField) {
  const Cluster cluster = parse(full_cluster());
  EXPECT_EQ(cluster.name, "test-4x2");
  EXPECT_EQ(cluster.ranks(), 8U);
  EXPECT_EQ(cluster.device.name, "v100");
  EXPECT_DOUBLE_EQ(cluster.device.memory.value, 32.0 * 1024 * 1024 * 1024);
  EXPECT_DOUBLE_EQ(cluster.device.memory_bandwidth.value, 900e9);
  EXPECT_DOUBLE_EQ(cluster.intra_node.bandwidth.value, 12e9);
  EXPECT_DOUBLE_EQ(cluster.intra_node.startup.value, 3e-6);
  EXPECT_DOUBLE_EQ(cluster.nic.bandwidth.value, 1.25e9);
  EXPECT_DOUBLE_EQ(cluster.nic.startup.value, 14.5e-6);
  ASSERT_TRUE(cluster.rack);
  EXPECT_EQ(cluster.rack->nodes, 2U);
  EXPECT_DOUBLE_EQ(cluster.rack->oversubscription, 1.5);
  EXPECT_DOUBLE_EQ(cluster.rack->startup.value, 1e-6);
  EXPECT_DOUBLE_EQ(cluster.overlap.compute_slowdown, 0.07);
  EXPECT_DOUBLE_EQ(cluster.software.collective_launch.value, 50e-6);
  EXPECT_DOUBLE_EQ(cluster.software.horovod_cycle.value, 5e-3);
  EXPECT_DOUBLE_EQ(cluster.software.horovod_fusion.value, 64.0 * 1024 * 1024);
  EXPECT_DOUBLE_EQ(cluster.software.negotiation_per_cycle.value, 0.5e-3);
  EXPECT_DOUBLE_EQ(cluster.software.negotiation_per_request.value, 2e-6);
  EXPECT_EQ(cluster.provenance.kind, ProvenanceKind::Measured);
  EXPECT_EQ(cluster.provenance.notes, std::vector<std::string>{"nic.bandwidth: iperf"});
}

TEST(ClusterReader, LeavesDefaultsWhereOptionalFieldsAreAbsent) {
  json file = full_cluster();
  for (const char* key : {"rack", "overlap", "software", "device_memory"})
    file.erase(key);
  const Cluster cluster = parse(file);
  EXPECT_FALSE(cluster.rack);
  EXPECT_DOUBLE_EQ(cluster.overlap.compute_slowdown, 0);
  EXPECT_DOUBLE_EQ(cluster.software.horovod_cycle.value, 1e-3);
  EXPECT_DOUBLE_EQ(cluster.device.memory.value, 0);
}

TEST(ClusterReader, RemembersTheCostsThatAFileLeavesOut) {
  // The file gives neither these nor a way to see that they are 0.
  EXPECT_EQ(
      parse(full_cluster()).costs_not_given,
      (std::vector<std::string>{
          "overlap.communication_slowdown", "overlap.launch_wait", "software.point_to_point_launch",
          "software.negotiation_per_rank", "software.bytescheduler_hook",
          "software.ps_per_partition", "software.jitter", "software.jitter_between_nodes",
          "software.host_per_launch", "software.host_per_gradient", "software.host_per_update",
          "software.host_per_collective", "software.ps_sum_bandwidth"}));
  json file = full_cluster();
  file["overlap"]["communication_slowdown"] = 0;
  file["overlap"]["launch_wait"] = 0;  // A cost of 0 that is given is given.
  file["software"].erase("collective_launch");
  file["rack"].erase("startup");
  const auto missing = parse(file).costs_not_given;
  EXPECT_EQ(missing.front(), "rack.startup");
  EXPECT_EQ(missing[1], "software.collective_launch");
  file.erase("software");
  file.erase("rack");
  EXPECT_EQ(parse(file).costs_not_given.size(), 14U);  // All of software that is a cost.
}

// Horovod's pause and buffer have defaults of its own.
TEST(ClusterReader, EveryFieldOfTheSoftwareThatIsZeroByDefaultIsACost) {
  for (const ClusterField& field : cluster_fields()) {
    const bool is_other =
        field.section() != "software" || field.path.starts_with("software.horovod_");
    EXPECT_TRUE(is_other || field.is_cost) << field.path;
  }
}

TEST(ClusterReader, NodesHaveOneAdapterOrAsManyAsGiven) {
  EXPECT_EQ(parse(full_cluster()).nics, 1U);
  json file = full_cluster();
  file["nics"] = 8;
  const Cluster cluster = parse(file);
  EXPECT_EQ(node_link(cluster).bandwidth, cluster.nic.bandwidth * 8);
  EXPECT_EQ(error_after(R"({"nics": 0})"),
            "c.json: /nics: expected a whole number of at least 1, found 0");
}

TEST(ClusterReader, RefusesZeroNodesAndZeroGpus) {
  EXPECT_EQ(error_after(R"({"nodes": 0})"),
            "c.json: /nodes: expected a whole number of at least 1, found 0");
  EXPECT_EQ(error_after(R"({"gpus_per_node": 0})"),
            "c.json: /gpus_per_node: expected a whole number of at least 1, found 0");
  EXPECT_NE(error_after(R"({"nodes": -4})"), "");
  EXPECT_NE(error_after(R"({"nodes": 1.5})"), "");
}

TEST(ClusterReader, RefusesMoreGpusThanItCanCount) {
  EXPECT_EQ(error_after(R"({"nodes": 4294967295, "gpus_per_node": 2})"),
            "c.json: /nodes: expected at most 1048576 GPUs, found 4294967295 nodes of 2 GPUs");
  EXPECT_NE(error_after(R"({"nodes": 4294967296})"), "");  // would wrap to 0
}

TEST(ClusterReader, RefusesZeroBandwidth) {
  EXPECT_EQ(error_after(R"({"nic": {"bandwidth": "0Gbps"}})"),
            "c.json: /nic/bandwidth: expected a bandwidth above zero, found \"0Gbps\"");
}

TEST(ClusterReader, RefusesNegativeTimesAndWrongUnits) {
  EXPECT_EQ(error_after(R"({"nic": {"startup": "-2us"}})"),
            "c.json: /nic/startup: expected a time such as \"2us\", found \"-2us\"");
  EXPECT_EQ(error_after(R"({"nic": {"startup": "2MiB"}})"),
            "c.json: /nic/startup: expected a time such as \"2us\", found \"2MiB\"");
  EXPECT_EQ(error_after(R"({"nic": {"startup": 2}})"),
            "c.json: /nic/startup: expected a time such as \"2us\", found 2");
  EXPECT_NE(error_after(R"({"nic": {"bandwidth": "10GB"}})"), "");
}

TEST(ClusterReader, RefusesOversubscriptionBelowOne) {
  EXPECT_EQ(error_after(R"({"rack": {"oversubscription": 0.5}})"),
            "c.json: /rack/oversubscription: expected a number of at least 1, found 0.5");
  EXPECT_NE(error_after(R"({"rack": {"nodes": 0}})"), "");
}

TEST(ClusterReader, RefusesNegativeSlowdown) {
  EXPECT_NE(error_after(R"({"overlap": {"compute_slowdown": -0.1}})"), "");
}

TEST(ClusterReader, NamesTheNearestKeyForAnUnknownOne) {
  EXPECT_EQ(error_after(R"({"nic": {"bandwith": "10Gbps"}})"),
            "c.json: /nic: unknown key \"bandwith\"; did you mean \"bandwidth\"?");
  EXPECT_EQ(error_after(R"({"sofware": {}})"),
            "c.json: unknown key \"sofware\"; did you mean \"software\"?");
  EXPECT_EQ(error_after(R"({"rack": null, "software": {"horovod_cycl": "1ms",
                            "horovod_cycle": null}})"),
            "c.json: /software: unknown key \"horovod_cycl\"; did you mean \"horovod_cycle\"?");
}

TEST(ClusterReader, NamesAMissingField) {
  EXPECT_EQ(error_after(R"({"nic": null})"), "c.json: /nic: missing");
  EXPECT_EQ(error_after(R"({"nic": {"startup": null}})"), "c.json: /nic/startup: missing");
  EXPECT_EQ(error_after(R"({"rack": {"nodes": null}})"), "c.json: /rack/nodes: missing");
  EXPECT_EQ(error_after(R"({"provenance": null})"), "c.json: /provenance: missing");
}

TEST(ClusterReader, RefusesAnotherFormatOrVersion) {
  EXPECT_EQ(error_after(R"({"format": "stepcast-workload"})"),
            "c.json: /format: expected \"stepcast-cluster\", found \"stepcast-workload\"");
  EXPECT_EQ(error_after(R"({"version": 2})"), "c.json: /version: expected 1, found 2");
}

TEST(ClusterReader, RefusesTruncatedText) {
  const std::string text = full_cluster().dump();
  EXPECT_NE(input_error_of([&] { parse_cluster(text.substr(0, text.size() / 2), "c.json"); }),
            "no error");
  EXPECT_NE(input_error_of([] { parse_cluster("", "c.json"); }), "no error");
  EXPECT_NE(input_error_of([] { parse_cluster("[]", "c.json"); }), "no error");
}

TEST(ClusterReader, RefusesADirectoryAndAMissingFile) {
  const auto folder = std::filesystem::temp_directory_path();
  const std::string error = input_error_of([&] { read_cluster(folder); });
  EXPECT_EQ(error.find(folder.string()), 0U) << error;
  EXPECT_NE(input_error_of([] { read_cluster("no/such/file.json"); }), "no error");
}

TEST(ClusterReader, ReadsTheShippedClusters) {
  const std::filesystem::path folder = STEPCAST_SOURCE_DIR "/configs/clusters";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const Cluster cluster = read_cluster(entry.path());
    EXPECT_EQ(cluster.name, entry.path().stem().string());
    EXPECT_FALSE(cluster.provenance.notes.empty()) << entry.path();
  }
  EXPECT_EQ(read_cluster(folder / "rtx2080ti-16x4-10gbe.json").ranks(), 64U);
}

TEST(ClusterReader, InfinibandIsBoundedInsideTheNode) {
  const Cluster cluster =
      read_cluster(STEPCAST_SOURCE_DIR "/configs/clusters/rtx2080ti-16x4-ib100.json");
  EXPECT_LT(cluster.intra_node.bandwidth, cluster.nic.bandwidth);
}

}  // namespace
}  // namespace stepcast
