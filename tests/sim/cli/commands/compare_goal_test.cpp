#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/sim/cli/run_cli.hpp"

namespace stepcast {
namespace {

using nlohmann::json;

double step_of(const std::string& command, const std::string& setting) {
  std::vector<std::string> arguments{command,     "--workload", "resnet50-rtx2080ti-bs64",
                                     "--cluster", "ideal-4x1",  "--fidelity",
                                     "analytic",  "--set",      setting,
                                     "--json"};
  if (command == "compare")
    arguments.insert(arguments.end(), {"--steps", "dear=100"});
  else
    arguments.insert(arguments.end(), {"--schedule", "dear"});
  const Outcome outcome = run_cli(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const json result = json::parse(outcome.out);
  return (command == "compare" ? result["results"][0] : result)["iteration_time_s"];
}

TEST(CompareGoal, AStepTakesAsLongAsRunSaysWithATunedBufferToo) {
  for (const char* setting : {"fusion=buffer", "fusion=bo"})
    EXPECT_DOUBLE_EQ(step_of("compare", setting), step_of("run", setting)) << setting;
}

TEST(CompareGoal, SaysWhichBufferItFound) {
  const Outcome outcome =
      run_cli({"compare", "--workload", "resnet50-rtx2080ti-bs64", "--cluster", "ideal-4x1",
               "--fidelity", "analytic", "--set", "fusion=bo", "--steps", "dear=100"});
  EXPECT_NE(outcome.out.find("Note on dear: fusion=bo: 10 trials chose fusion_buffer="),
            std::string::npos)
      << outcome.out << outcome.err;
}

// Of 16 workers 8 are backups: twice the iterations for the samples of an epoch.
TEST(CompareGoal, GradientsThatAreDroppedBringNoEpochOn) {
  const auto iterations = [](const std::string& backup) {
    const Outcome outcome =
        run_cli({"compare", "--workload", "resnet50-rtx2080ti-bs64", "--cluster", "ideal-4x4",
                 "--fidelity", "analytic", "--set", "backup=" + backup, "--epochs",
                 "backup-workers=1", "--samples", "1024000", "--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(outcome.out)["results"][0]["iterations"].get<double>();
  };
  EXPECT_EQ(iterations("8"), 2000);
  EXPECT_EQ(iterations("0"), 1000);
}

TEST(CompareGoal, TakesOneJobAndNoneOfTheViewsOfAStudy) {
  const auto error_with = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"compare", "--workload", "resnet50-rtx2080ti-bs64", "--cluster",
                               "ideal-4x4", "--steps", "dear=100"});
    const Outcome outcome = run_cli(more);
    EXPECT_EQ(outcome.exit_code, 2);
    return outcome.err;
  };
  EXPECT_NE(error_with({"--nodes", "1,2"}).find("--goal: expected one job, found lists"),
            std::string::npos);
  EXPECT_NE(error_with({"--across", "schedule"}).find("--across: not with --goal"),
            std::string::npos);
  EXPECT_NE(error_with({"--schedules", "ddp"}).find("the goal counts no steps of ddp"),
            std::string::npos);
}

}  // namespace
}  // namespace stepcast
