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

Outcome across_nodes(std::vector<std::string> more) {
  std::vector<std::string> arguments{"compare",   "--workload", "resnet50-rtx2080ti-bs64",
                                     "--cluster", "ideal-1x2",  "--fidelity",
                                     "analytic",  "--across",   "nodes"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_cli(arguments);
}

TEST(CompareAcross, AValueGivenTwiceIsTakenOnce) {
  const Outcome outcome =
      across_nodes({"--schedules", "bsp,dear", "--nodes", "2,1,2,02", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["results"].size(), 4U);
}

// It ended with 3 and no word.
TEST(CompareAcross, OutOfTimeWithNothingToPrintIsSaid) {
  const StopsBetweenJobs stops;
  ask_to_stop(SIGALRM);
  const Outcome outcome = across_nodes({"--schedules", "bsp,dear", "--nodes", "1,2"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "stepcast: out of time before a result was there\n");
}

TEST(CompareAcross, AColumnForEachValueAndALineForWhatElseVaries) {
  const Outcome outcome =
      across_nodes({"--schedules", "bsp,dear", "--nodes", "1,2", "--gpus-per-node", "2,4"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("Iteration time in ms, by nodes\n\n"
                             "gpus_per_node  schedule      1      2\n"),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("\n4              dear  "), std::string::npos) << outcome.out;
}

TEST(CompareAcross, SchedulesHaveTheGainOfTheFastest) {
  const Outcome outcome = run_cli({"compare", "--workload", "resnet50-rtx2080ti-bs64", "--cluster",
                                   "rtx2080ti-16x4-10gbe", "--schedules", "bsp,dear", "--fidelity",
                                   "analytic", "--nodes", "1,2", "--across", "schedule"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("  best/next  fastest\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("  dear\n"), std::string::npos) << outcome.out;
}

// Ten workloads on clusters with schedules of long names are wider than a report.
TEST(CompareAcross, ATableThatIsTooWideBecomesOneForEachValueOfAColumn) {
  const Outcome outcome =
      run_cli({"compare", "five-dnns", "--fidelity", "analytic", "--across", "schedule"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const std::string& line : lines_of(outcome.out))
    EXPECT_LE(line.size(), 100U) << line;
  EXPECT_NE(outcome.out.find("\ncluster=rtx2080ti-16x4-ib100\nworkload  "), std::string::npos)
      << outcome.out;
}

TEST(CompareAcross, OfSeveralWorkloadsOnlyACompareIs) {
  const Outcome outcome = run_cli({"run", "five-dnns", "--schedule", "dear"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("the experiment names several workloads; name one with --workload"),
            std::string::npos)
      << outcome.err;
}

std::size_t curves_in(const std::string& file) {
  std::ifstream stream(file);
  const std::string svg(std::istreambuf_iterator<char>(stream), {});
  std::size_t count = 0;
  for (std::size_t at = svg.find("<polyline"); at != svg.npos; at = svg.find("<polyline", at + 1))
    ++count;
  return count;
}

TEST(CompareAcross, CurvesOfEightSchedulesAtMostAreDrawnAndTheTitleSaysSo) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.svg");
  const Outcome outcome = across_nodes({"--nodes", "1,2", "--figure", file});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(curves_in(file), 8U);
  std::ifstream stream(file);
  const std::string svg(std::istreambuf_iterator<char>(stream), {});
  EXPECT_NE(svg.find(": 8 of "), std::string::npos);
  EXPECT_NE(svg.find("fastest at nodes=2"), std::string::npos);
  // The table holds them all.
  EXPECT_NE(outcome.out.find("\nps "), std::string::npos) << outcome.out;
  // Of more clusters every schedule that is kept has a curve on each.
  EXPECT_EQ(across_nodes({"--cluster", "ideal-4x2,ideal-8x2", "--schedules", "bsp,dear", "--nodes",
                          "1,2", "--figure", file})
                .exit_code,
            0);
  EXPECT_EQ(curves_in(file), 6U);
}

}  // namespace
}  // namespace stepcast
