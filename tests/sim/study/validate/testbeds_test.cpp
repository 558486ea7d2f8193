// Testbeds that nothing was fitted to: what their clusters carry over, and how far they are off.
#include <string>

#include <gtest/gtest.h>

#include "sim/study/validate/validate.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

class Testbeds : public testing::Test {
 protected:
  void SetUp() override { ::setenv("STEPCAST_DATA", STEPCAST_SOURCE_DIR, 1); }
};

Measurements measurements_of(const char* name) {
  return read_measurements(data_root() / "traces/published/testbeds" /
                           (name + std::string(".json")));
}

void expect_same(const Link& link, const Link& other) {
  EXPECT_EQ(link.bandwidth.value, other.bandwidth.value);
  EXPECT_EQ(link.startup.value, other.startup.value);
}

TEST_F(Testbeds, TheV100NodesCarryOverTheRatesOfAnotherClusterOfV100) {
  const Cluster cluster = load_cluster("v100-4x8-edr");
  const Cluster measured = load_cluster("v100-32x4-edr");
  expect_same(cluster.intra_node, measured.intra_node);
  EXPECT_EQ(cluster.nic.startup.value, measured.nic.startup.value);
  EXPECT_EQ(cluster.software.jitter, measured.software.jitter);
  // One adapter of two: 10.227 GB/s alone, 20.48 GB/s both.
  EXPECT_NEAR(2 * cluster.nic.bandwidth.value, measured.nic.bandwidth.value, 0.05e9);
}

TEST_F(Testbeds, TheK80NodesCarryOverPciExpressServersAndJitter) {
  const Cluster cluster = load_cluster("k80-8x8-ec2");
  const Cluster ethernet = load_cluster("rtx2080ti-16x4-10gbe");
  expect_same(cluster.intra_node, ethernet.intra_node);
  EXPECT_EQ(cluster.nic.startup.value, ethernet.nic.startup.value);
  EXPECT_EQ(cluster.software.ps_per_partition.value, ethernet.software.ps_per_partition.value);
  EXPECT_EQ(cluster.software.ps_sum_bandwidth.value, ethernet.software.ps_sum_bandwidth.value);
  EXPECT_EQ(cluster.software.jitter, load_cluster("v100-32x4-edr").software.jitter);
}

TEST_F(Testbeds, TheCostsThatTheirClustersDoNotGiveAreNamed) {
  Measurements measurements = measurements_of("tensorflow-ec2-k80");
  measurements.cases.resize(1);
  const auto notes = validate(measurements.cases, {}, Fidelity::Analytic).front().notes;
  ASSERT_FALSE(notes.empty());
  EXPECT_TRUE(
      notes.back().text.starts_with("Costs of the cluster not given, taken as 0: software."));
}

TEST_F(Testbeds, EveryRowIsACheck) {
  for (const char* name : {"dlperf-v100-edr", "tensorflow-ec2-k80"})
    for (const MeasuredCase& each : measurements_of(name).cases)
      EXPECT_EQ(each.use, MeasurementUse::Check) << name;
}

TEST_F(Testbeds, EightV100StayWithinTheErrorsInTheReadme) {
  const auto all = validate(measurements_of("dlperf-v100-edr").cases, {}, Fidelity::Flow);
  const ErrorSummary checks = summarise(all, MeasurementUse::Check);
  EXPECT_EQ(checks.cases, 11U);
  EXPECT_LT(checks.median, 0.021);
  EXPECT_LT(checks.worst, 0.078);
}

TEST_F(Testbeds, EightAndSixteenK80StayWithinTheErrorsInTheReadme) {
  const auto all = validate(measurements_of("tensorflow-ec2-k80").cases, {}, Fidelity::Flow);
  const ErrorSummary checks = summarise(all, MeasurementUse::Check);
  EXPECT_EQ(checks.cases, 10U);
  EXPECT_LT(checks.median, 0.03);
  EXPECT_LT(checks.worst, 0.096);
}

}  // namespace
}  // namespace stepcast
