// Forecasts on a cluster with measured collectives.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/base/text.hpp"
#include "sim/forecast/collective_run.hpp"
#include "tests/sim/cli/run_cli.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

using namespace literals;

class MeasuredCollective : public testing::TestWithParam<CollectiveKind> {};

TEST_P(MeasuredCollective, TakesTheSameTimeAnalyticallyAndAsFlows) {
  for (const std::uint32_t gpus : {4U, 8U, 16U, 64U}) {
    const Cluster cluster = first_ranks_of(load_cluster("v100-32x4-edr"), gpus);
    for (const Bytes size : {Bytes{1024}, 1.0_MiB, 64.0_MiB}) {
      const Collective collective{
          .kind = GetParam(), .algorithm = default_algorithm(GetParam()), .size = size};
      const Seconds analytic = run_collective(collective, cluster, Fidelity::Analytic).time;
      const Seconds flow = run_collective(collective, cluster, Fidelity::Flow).time;
      EXPECT_NEAR(flow / analytic, 1, 1e-6) << gpus << " GPUs, " << format_bytes(size);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, MeasuredCollective,
                         testing::Values(CollectiveKind::AllReduce, CollectiveKind::ReduceScatter,
                                         CollectiveKind::Broadcast),
                         [](const auto& instance) {
                           std::string name = name_of(instance.param);
                           std::erase(name, '-');
                           return name;
                         });

/// What `stepcast run` prints for ResNet-50 on the V100 cluster.
std::string run_on_v100(std::vector<std::string> more) {
  std::vector<std::string> arguments = {"run", "--workload", "resnet50-v100-bs96", "--cluster",
                                        "v100-32x4-edr"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = run_cli(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.out;
}

TEST(MeasuredCollectives, ForecastsBeyondTheMeasuredGpusSaySo) {
  const std::string beyond = run_on_v100({"--schedule", "ddp", "--nodes", "16"});
  EXPECT_NE(beyond.find("Extrapolated: all-reduce on 64 GPUs"), std::string::npos) << beyond;
  const std::string within = run_on_v100({"--schedule", "ddp", "--nodes", "4"});
  EXPECT_EQ(within.find("Extrapolated: all-reduce on"), std::string::npos) << within;
}

TEST(MeasuredCollectives, DearSaysThatItsHalvesWereNotMeasured) {
  const std::string text = run_on_v100({"--schedule", "dear", "--nodes", "4"});
  EXPECT_NE(text.find("Not measured: reduce-scatter, all-gather"), std::string::npos) << text;
}

TEST(MeasuredCollectives, StepFidelitySaysThatItIgnoresThem) {
  const std::string text = run_on_v100({"--schedule", "ddp", "--nodes", "2", "--fidelity", "step"});
  EXPECT_NE(text.find("ignores measured curves"), std::string::npos) << text;
}

TEST(MeasuredCollectives, AFasterNicReplacesThemByClosedForms) {
  const std::string text =
      run_on_v100({"--schedule", "ddp", "--nodes", "16", "--set", "cluster.nic.bandwidth=50GBps"});
  EXPECT_EQ(text.find("Extrapolated"), std::string::npos) << text;
  EXPECT_NE(text.find("closed forms replace"), std::string::npos) << text;
}

double ideal_step_with_jitter(const std::string& jitter) {
  return nlohmann::json::parse(
      run_on_v100({"--schedule", "ideal", "--nodes", "1", "--gpus-per-node", "2", "--json", "--set",
                   "cluster.software.jitter=" + jitter}))["iteration_time_s"];
}

TEST(MeasuredCollectives, JitterMakesEveryStepWaitForTheSlowest) {
  // Two ranks: 1 + 0.1 (1/2) times the compute, beside communication of the order of 0.1 %.
  EXPECT_NEAR(ideal_step_with_jitter("0.1") / ideal_step_with_jitter("0"), 1.05, 2e-3);
}

}  // namespace
}  // namespace stepcast
