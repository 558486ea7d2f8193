#include "sim/cli/crossover.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/sim/cli/run_cli.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

CrossoverGrid small_grid() {
  ::setenv("STEPCAST_DATA", STEPCAST_SOURCE_DIR, 1);
  CrossoverGrid grid{.scenario = {},
                     .densities = {0.01, 0.1},
                     .nodes = {2, 4},
                     .gpus_per_node = {4},
                     .bandwidths = {{1.25e9}}};
  grid.scenario.workload = load_workload("resnet50-rtx2080ti-bs64");
  grid.scenario.cluster = load_cluster("rtx2080ti-16x4-10gbe");
  grid.scenario.schedules = {"ddp", "topk-allgather", "topka2a"};
  grid.scenario.engine.fidelity = Fidelity::Analytic;
  return grid;
}

// What is left when selection, start-ups, overlap and shared NICs are out is bytes alone. The
// bisection stops within 0.02 %; selections are rounded to whole entries.
TEST(FindCrossover, WithoutAllItIgnoresTheAnalyticConditionHolds) {
  const Crossover crossover = find_crossover(small_grid(), 1);
  ASSERT_EQ(crossover.rows.size(), 2U);
  for (const CrossoverRow& row : crossover.rows) {
    ASSERT_EQ(row.boundaries.size(), 2U);
    EXPECT_NEAR(row.boundaries[0].analytic, 0.5 / (row.gpus - 1), 1e-15);
    for (const Boundary& boundary : row.boundaries) {
      ASSERT_EQ(boundary.simulated.size(), 5U);
      EXPECT_NEAR(boundary.simulated.back(), boundary.analytic, 1e-3 * boundary.analytic);
    }
  }
}

// The same with the 6 bytes of an fp16 entry, and with a bitmap; see BreakEven for the conditions.
TEST(FindCrossover, TheAnalyticConditionCountsTheBytesOfTheEncoding) {
  for (const auto& [name, value] : {std::pair("value", "fp16"), std::pair("index", "bitmap")}) {
    CrossoverGrid grid = small_grid();
    grid.scenario.settings.schedule[name] = value;
    for (const CrossoverRow& row : find_crossover(grid, 1).rows)
      for (const Boundary& boundary : row.boundaries)
        EXPECT_NEAR(boundary.simulated.back(), boundary.analytic, 1e-3 * boundary.analytic)
            << value << ", " << boundary.below << ", " << row.gpus << " GPUs";
  }
}

TEST(FindCrossover, NodesAndTheirGpusMakeTheRows) {
  CrossoverGrid grid = small_grid();
  grid.gpus_per_node = {2, 4};
  std::vector<std::uint32_t> gpus;
  for (const CrossoverRow& row : find_crossover(grid, 1).rows)
    gpus.push_back(row.gpus);
  EXPECT_EQ(gpus, (std::vector<std::uint32_t>{4, 8, 8, 16}));
}

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

TEST(FindCrossover, IsTheSameForAnyNumberOfWorkers) {
  EXPECT_EQ(crossover_csv(find_crossover(small_grid(), 1)),
            crossover_csv(find_crossover(small_grid(), 3)));
}

TEST(FindCrossover, HasNoBoundariesWithoutTheSchedulesTheyAreBetween) {
  CrossoverGrid grid = small_grid();
  grid.scenario.schedules = {"dear", "gtopk"};
  for (const CrossoverRow& row : find_crossover(grid, 1).rows)
    EXPECT_TRUE(row.boundaries.empty());
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
