#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/sim/cli/run_cli.hpp"

namespace stepcast {
namespace {

Outcome map(std::vector<std::string> more) {
  std::vector<std::string> arguments{"compare",
                                     "--workload",
                                     "resnet50-rtx2080ti-bs64",
                                     "--cluster",
                                     "rtx2080ti-16x4-10gbe",
                                     "--fidelity",
                                     "analytic",
                                     "--nodes",
                                     "2"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_cli(arguments);
}

TEST(CompareMap, ManyValuesStayWithinTheWidthOfAReport) {
  std::string densities = "0.5";
  for (int i = 1; i < 16; ++i)
    densities += ",0." + std::to_string(100 + i);
  const Outcome outcome =
      map({"--schedules", "ddp,gtopk", "--set", "density=" + densities, "--map", "density"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const std::string& line : lines_of(outcome.out))
    EXPECT_LE(line.size(), 100U) << line;
  EXPECT_NE(outcome.out.find("0.115"), std::string::npos) << outcome.out;
}

// A schedule of whole gradients has one time for all densities.
TEST(CompareMap, AScheduleWithoutTheOptionStandsAtEachOfItsValues) {
  const Outcome outcome =
      map({"--schedules", "ddp,topka2a", "--set", "density=0.001,0.9", "--map", "density"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("Fastest schedule, by density: A ddp, B topka2a;"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("  A 1.00\n"), std::string::npos) << outcome.out;
}

TEST(CompareMap, OfDensityHasBoundariesInTextAndJson) {
  const std::vector<std::string> options{"--schedules",      "ddp,topka2a", "--set",
                                         "density=0.01,0.1", "--map",       "density"};
  EXPECT_NE(map(options).out.find("Density below which topka2a is faster than ddp\n"),
            std::string::npos);
  std::vector<std::string> as_json = options;
  as_json.emplace_back("--json");
  const auto json = nlohmann::json::parse(map(as_json).out);
  ASSERT_EQ(json["results"].size(), 3U);  // ddp has no density
  ASSERT_EQ(json["boundaries"].size(), 1U);
  EXPECT_EQ(json["boundaries"][0]["gpus"], 8);
  EXPECT_EQ(json["boundaries"][0]["boundaries"][0]["faster_below"], "topka2a");
}

TEST(CompareMap, BadKeysAndValuesAreOneLine) {
  const auto error_of = [](std::vector<std::string> more) {
    const Outcome outcome = map(std::move(more));
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(lines_of(outcome.err).size(), 1U) << outcome.err;
    return outcome.err;
  };
  EXPECT_NE(error_of({"--map", "density"}).find("--map density: expected something that the"),
            std::string::npos);
  EXPECT_NE(error_of({"--map", "nodes", "--across", "nodes"}).find("expected one of the two"),
            std::string::npos);
  error_of({"--schedules", "topka2a", "--set", "density=0.1,2", "--map", "density"});
  error_of({"--schedules", "topk", "--map", "nodes"});
  error_of({"--map", "nodes", "--figure", "/nowhere/x.svg"});
}

}  // namespace
}  // namespace stepcast
