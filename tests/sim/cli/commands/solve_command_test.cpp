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
  if (command == "solve")
    arguments.insert(arguments.end(), {"--iterations", "dear=100"});
  else
    arguments.insert(arguments.end(), {"--schedule", "dear"});
  const Outcome outcome = run_cli(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const json result = json::parse(outcome.out);
  return (command == "solve" ? result["results"][0] : result)["iteration_time_s"];
}

TEST(SolveCommand, AStepTakesAsLongAsRunSaysWithATunedBufferToo) {
  for (const char* setting : {"fusion=buffer", "fusion=bo"})
    EXPECT_DOUBLE_EQ(step_of("solve", setting), step_of("run", setting)) << setting;
}

TEST(SolveCommand, SaysWhichBufferItFound) {
  const Outcome outcome =
      run_cli({"solve", "--workload", "resnet50-rtx2080ti-bs64", "--cluster", "ideal-4x1",
               "--fidelity", "analytic", "--set", "fusion=bo", "--iterations", "dear=100"});
  EXPECT_NE(outcome.out.find("Note on dear: fusion=bo: 10 trials chose fusion_buffer="),
            std::string::npos)
      << outcome.out << outcome.err;
}

// Of 16 workers 8 are backups: twice the iterations for the samples of an epoch.
TEST(SolveCommand, GradientsThatAreDroppedBringNoEpochOn) {
  const auto iterations = [](const std::string& backup) {
    const Outcome outcome =
        run_cli({"solve", "--workload", "resnet50-rtx2080ti-bs64", "--cluster", "ideal-4x4",
                 "--fidelity", "analytic", "--set", "backup=" + backup, "--epochs",
                 "backup-workers=1", "--samples", "1024000", "--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(outcome.out)["results"][0]["iterations"].get<double>();
  };
  EXPECT_EQ(iterations("8"), 2000);
  EXPECT_EQ(iterations("0"), 1000);
}

}  // namespace
}  // namespace stepcast
