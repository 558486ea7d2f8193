#include <csignal>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/workers/stop.hpp"
#include "tests/sim/cli/run_cli.hpp"

namespace stepcast {
namespace {

using nlohmann::json;

Outcome scaling(std::vector<std::string> more) {
  std::vector<std::string> arguments{"scaling",    "--workload", "resnet50-rtx2080ti-bs64",
                                     "--clusters", "ideal-1x2",  "--schedules",
                                     "bsp,dear",   "--fidelity", "analytic"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_cli(arguments);
}

TEST(ScalingCommand, AValueGivenTwiceIsTakenOnce) {
  const Outcome outcome = scaling({"--nodes", "2,1,2,02", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["gpus"], (json{4, 2}));
  EXPECT_EQ(json::parse(outcome.out)["curves"].size(), 2U);
}

// It ended with 3 and no word.
TEST(ScalingCommand, OutOfTimeWithNothingToPrintIsSaid) {
  const StopsBetweenJobs stops;
  ask_to_stop(SIGALRM);
  const Outcome outcome = scaling({"--nodes", "1,2"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "stepcast: out of time before a result was there\n");
}

TEST(ScalingCommand, StopsAtTheNodesOfTheClusterUnlessAskedToGoOn) {
  const auto gpus_with = [](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{
        "scaling",    "--workload",          "resnet50-rtx2080ti-bs64",
        "--clusters", "ideal-4x2,ideal-5x2", "--schedules",
        "bsp",        "--fidelity",          "analytic",
        "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return json::parse(run_cli(arguments).out)["gpus"];
  };
  EXPECT_EQ(gpus_with({}), (json{2, 4, 8}));
  EXPECT_EQ(gpus_with({"--nodes", "4,8"}), (json{8, 16}));
}

TEST(ScalingCommand, ClustersOfOtherNodesHaveNoCommonColumns) {
  const Outcome outcome = run_cli({"scaling", "--workload", "resnet50-rtx2080ti-bs64", "--clusters",
                                   "ideal-1x2,ideal-1x4", "--schedules", "bsp", "--nodes", "1"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("--clusters: expected as many GPUs in every node, found ideal-1x4 of "
                             "4 and 2"),
            std::string::npos)
      << outcome.err;
}

TEST(ScalingCommand, GpusPerNodeMayBeAList) {
  const std::vector<std::string> sizes{"--nodes", "1,2", "--gpus-per-node", "2,4"};
  const Outcome outcome = scaling(sizes);
  EXPECT_NE(outcome.out.find("2 GPUs (1 x 2) ms  4 GPUs (1 x 4) ms  4 GPUs (2 x 2) ms"),
            std::string::npos)
      << outcome.out << outcome.err;
  std::vector<std::string> as_json = sizes;
  as_json.emplace_back("--json");
  const json printed = json::parse(scaling(as_json).out);
  EXPECT_EQ(printed["gpus"], (json{2, 4, 4, 8}));
  EXPECT_EQ(printed["gpus_per_node"], (json{2, 4, 2, 4}));
}

TEST(ScalingCommand, OneGpuIsNoPlural) {
  const Outcome outcome = scaling({"--nodes", "1,2", "--gpus-per-node", "1"});
  EXPECT_NE(outcome.out.find("1 GPU ms  2 GPUs ms"), std::string::npos) << outcome.out;
}

TEST(ScalingCommand, AFigureIsSvgOrPng) {
  const TemporaryFolder folder;
  const Outcome outcome = scaling({"--nodes", "1", "--figure", folder.file("a.jpg")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("a.jpg: figures are SVG or PNG; expected a name that ends in .svg"),
            std::string::npos)
      << outcome.err;
  EXPECT_TRUE(folder.empty());
  EXPECT_EQ(scaling({"--nodes", "1", "--figure", folder.file("a.svg")}).exit_code, 0);
  EXPECT_FALSE(folder.empty());
}

std::size_t curves_in(const std::string& file) {
  std::ifstream stream(file);
  const std::string svg(std::istreambuf_iterator<char>(stream), {});
  std::size_t count = 0;
  for (std::size_t at = svg.find("<polyline"); at != svg.npos; at = svg.find("<polyline", at + 1))
    ++count;
  return count;
}

TEST(ScalingCommand, WithoutSchedulesEightCurvesAtMostAreDrawnAndNamed) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.svg");
  const auto drawn = [&](const std::string& clusters) {
    return run_cli({"scaling", "--workload", "resnet50-rtx2080ti-bs64", "--clusters", clusters,
                    "--nodes", "1,2", "--fidelity", "analytic", "--figure", file});
  };
  const Outcome one = drawn("ideal-4x2");
  ASSERT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(curves_in(file), 8U);
  EXPECT_NE(one.err.find(": 8 of "), std::string::npos) << one.err;
  EXPECT_NE(one.err.find(" curves, of the schedules that are fastest on 4 GPUs: "),
            std::string::npos)
      << one.err;
  // The table holds them all.
  EXPECT_NE(one.out.find("\nideal-4x2  ps "), std::string::npos) << one.out;
  EXPECT_EQ(drawn("ideal-4x2,ideal-8x2,ideal-9x2").exit_code, 0);
  EXPECT_EQ(curves_in(file), 6U);  // 8 / 3 = 2 schedules on 3 clusters
}

TEST(ScalingCommand, AllCurvesThatTheUserNamesAreDrawn) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.svg");
  const Outcome outcome =
      run_cli({"scaling", "--workload", "resnet50-rtx2080ti-bs64", "--clusters", "ideal-4x2",
               "--schedules", "bsp,wfbp,ddp,horovod,dear,mg-wfbp,zero,delayed,ideal", "--nodes",
               "1,2", "--fidelity", "analytic", "--figure", file});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(curves_in(file), 9U);
}

TEST(ScalingCommand, AnOptionAppliesToTheSchedulesThatHaveIt) {
  const Outcome outcome =
      scaling({"--nodes", "1,2", "--set", "fusion_buffer=1MiB", "--set", "fusion=buffer"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const Outcome refused = scaling({"--nodes", "1", "--set", "fusion_bufer=1MiB"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--set fusion_bufer=1MiB: none of the schedules has an option "
                             "\"fusion_bufer\""),
            std::string::npos)
      << refused.err;
}

TEST(ScalingCommand, SaysWhichOptionChangedNothingInAnySize) {
  // Without fusion the buffer is not used.
  const Outcome outcome =
      scaling({"--nodes", "1,2", "--set", "fusion=none", "--set", "fusion_buffer=3MiB", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("fusion_buffer=3MiB changed nothing"), std::string::npos)
      << outcome.out;
}

}  // namespace
}  // namespace stepcast
