// A global batch where some nodes only serve: 8 of 16 train, 32 GPUs.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/sim/cli/run_cli.hpp"

namespace stepcast {
namespace {

using nlohmann::json;

json result_of(const std::string& command, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{command,
                                     "--workload",
                                     "resnet50-rtx2080ti-bs64",
                                     command == "plan" ? "--clusters" : "--cluster",
                                     "rtx2080ti-16x4-10gbe",
                                     "--set",
                                     "placement=remote",
                                     "--fidelity",
                                     "analytic",
                                     "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = run_cli(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return json::parse(outcome.out);
}

double samples_of(const json& forecast) {
  return forecast["throughput_samples_per_s"].get<double>() *
         forecast["iteration_time_s"].get<double>();
}

TEST(ServedBatch, IsSharedByTheRanksThatTrain) {
  const json run = result_of("run", {"--schedule", "ps", "--set", "global_batch=4096"});
  EXPECT_EQ(run["workers"], 32);
  EXPECT_EQ(run["batch"], 128);
  EXPECT_NEAR(samples_of(run), 4096, 1e-6);
}

// Steps of DDP and of servers are of as many samples.
TEST(ServedBatch, IsThatOfEverySchedule) {
  const json compared =
      result_of("compare", {"--schedules", "ddp,ps", "--set", "global_batch=4096"});
  ASSERT_EQ(compared["results"].size(), 2U);
  for (const json& each : compared["results"])
    EXPECT_NEAR(samples_of(each), 4096, 1e-6) << each["schedule"];
  EXPECT_EQ(compared["results"][0]["batch"], 64);
  EXPECT_EQ(compared["results"][1]["batch"], 128);
}

TEST(ServedBatch, LeavesTheComparedInOneTable) {
  const Outcome outcome = run_cli({"compare", "--workload", "resnet50-rtx2080ti-bs64", "--cluster",
                                   "rtx2080ti-16x4-10gbe", "--schedules", "ddp,ps", "--set",
                                   "placement=remote", "--set", "global_batch=4096"});
  const std::size_t heading = outcome.out.find("speed-up");
  EXPECT_NE(heading, std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.out.find("speed-up", heading + 1), std::string::npos) << outcome.out;
}

TEST(ServedBatch, IsThatOfAPlan) {
  const json plan = result_of("plan", {"--schedules", "ps", "--global-batch", "4096"});
  EXPECT_NEAR(samples_of(plan["results"][0]), 4096, 1e-6);
}

// 1,281,167 samples are 312.8 steps of 4096; 313 are taken.
TEST(ServedBatch, IsWhatASolutionCountsBy) {
  const json solved = result_of(
      "compare", {"--epochs", "ps=1", "--samples", "1281167", "--set", "global_batch=4096"});
  EXPECT_EQ(solved["results"][0]["iterations"], 313);
}

// 8 of 12 GPUs train, which 64 can be divided by.
TEST(ServedBatch, NeedNotDivideAmongAllOfASolution) {
  const json solved = result_of("compare", {"--epochs", "ps=1", "--samples", "6400", "--nodes", "3",
                                            "--set", "servers=1", "--set", "global_batch=64"});
  EXPECT_EQ(solved["results"][0]["iterations"], 100);
}

// On each network of a map by those that train there.
TEST(ServedBatch, IsThatOfAMap) {
  const json map =
      result_of("compare", {"--schedules", "ps,ddp", "--set", "global_batch=4096", "--nodes",
                            "4,16", "--set", "cluster.nic.bandwidth=10Gbps", "--map", "nodes"});
  ASSERT_EQ(map["results"].size(), 4U);
  for (const std::size_t of_ps : {0U, 2U}) {
    const json& row = map["results"][of_ps];
    const json run = result_of("run", {"--schedule", "ps", "--set", "global_batch=4096", "--set",
                                       "cluster.nic.bandwidth=10Gbps", "--nodes",
                                       row["combination"]["nodes"].get<std::string>()});
    EXPECT_EQ(row["iteration_time_s"], run["iteration_time_s"]);
  }
}

TEST(ServedBatch, MustDivide) {
  const Outcome outcome =
      run_cli({"run", "--workload", "resnet50-rtx2080ti-bs64", "--cluster", "rtx2080ti-16x4-10gbe",
               "--schedule", "ps", "--set", "placement=remote", "--set", "global_batch=4112"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err,
            "stepcast: --set global_batch=4112: expected a multiple of 32 (32 GPUs that train)\n");
}

}  // namespace
}  // namespace stepcast
