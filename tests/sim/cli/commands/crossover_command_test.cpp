#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/sim/cli/run_cli.hpp"

namespace stepcast {
namespace {

TEST(CrossoverCommand, RefusesSettingsOfWhatItSweeps) {
  const auto refusal_of = [](const std::string& setting, const std::string& nodes) {
    std::vector<std::string> arguments{
        "crossover", "--workload", "resnet50-rtx2080ti-bs64", "--cluster", "rtx2080ti-16x4-10gbe",
        "--set",     setting};
    if (!nodes.empty())
      arguments.insert(arguments.end(), {"--nodes", nodes});
    const Outcome outcome = run_cli(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
    return outcome.err;
  };
  EXPECT_NE(refusal_of("density=0.1", "").find("--set density=0.1: is swept; give --density"),
            std::string::npos);
  EXPECT_NE(refusal_of("cluster.nic.bandwidth=1Gbps", "").find("is swept; give --bandwidth"),
            std::string::npos);
  EXPECT_NE(
      refusal_of("cluster.nodes=4", "2").find("--set cluster.nodes=4: is swept; give --nodes"),
      std::string::npos);
}

TEST(CrossoverCommand, ManyDensitiesStayWithinTheWidthOfAReport) {
  std::string densities = "0.5";
  for (int i = 1; i < 16; ++i)
    densities += ",0." + std::to_string(100 + i);
  const Outcome outcome =
      run_cli({"crossover", "--workload", "resnet50-rtx2080ti-bs64", "--cluster",
               "rtx2080ti-16x4-10gbe", "--nodes", "2", "--bandwidth", "10Gbps", "--schedules",
               "ddp,gtopk", "--density", densities});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const std::string& line : lines_of(outcome.out))
    EXPECT_LE(line.size(), 100U) << line;
  EXPECT_NE(outcome.out.find("0.115"), std::string::npos) << outcome.out;
}

TEST(CrossoverCommand, TakesSchedulesAndFidelityFromAnExperiment) {
  const std::string path =
      std::string(STEPCAST_SOURCE_DIR) + "/configs/experiments/dear-64gpu-10gbe.json";
  const Outcome outcome =
      run_cli({"crossover", path, "--density", "0.01", "--bandwidth", "10Gbps", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["fidelity"], "flow");
  EXPECT_EQ(json["schedules"], (nlohmann::json{"bsp", "wfbp", "ddp", "horovod", "dear"}));
}

TEST(CrossoverCommand, BadDensitiesAndNodesAreOneLine) {
  const std::vector<std::string> job{"crossover", "--workload", "resnet50-rtx2080ti-bs64",
                                     "--cluster", "rtx2080ti-16x4-10gbe"};
  const auto outcome_with = [&](const std::string& option, const std::string& value) {
    std::vector<std::string> arguments = job;
    arguments.insert(arguments.end(), {option, value});
    return run_cli(arguments);
  };
  const Outcome density = outcome_with("--density", "0.1,0");
  EXPECT_EQ(density.exit_code, 2);
  EXPECT_NE(density.err.find("--density: expected numbers above 0 and at most 1, found 0"),
            std::string::npos)
      << density.err;
  EXPECT_EQ(outcome_with("--nodes", "0").exit_code, 2);
  EXPECT_EQ(outcome_with("--nodes", "100000").exit_code, 2);
  EXPECT_EQ(outcome_with("--bandwidth", "10").exit_code, 2);
  EXPECT_EQ(outcome_with("--schedules", "topk").exit_code, 2);
  EXPECT_EQ(outcome_with("--svg", "/nowhere/x.svg").exit_code, 2);
}

}  // namespace
}  // namespace stepcast
