// Ctrl-C before a command's first result: it makes that one, prints it and ends with 130. It threw
// away what was there.
#include <csignal>

#include <gtest/gtest.h>

#include "sim/workers/stop.hpp"
#include "tests/sim/cli/run_cli.hpp"

namespace stepcast {
namespace {

const std::vector<std::string> kJob{"--workload", "resnet50-rtx2080ti-bs32", "--cluster",
                                    "rtx2080ti-16x4-ib100"};

Outcome stopped(std::vector<std::string> arguments, const std::vector<std::string>& more = {}) {
  const StopsBetweenJobs stops;
  ask_to_stop(SIGINT);
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_cli(arguments);
}

void expect_kept(const Outcome& outcome, const std::string& told, const std::string& said) {
  EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
  EXPECT_EQ(outcome.err, "stepcast: stopped by a signal: " + told + "\n");
  EXPECT_NE(outcome.out.find(said), std::string::npos) << outcome.out;
}

TEST(StoppedCommand, GoodputKeepsItsSeeds) {
  expect_kept(stopped({"goodput", "--mtbf", "3h", "--checkpoint", "30s", "--restart", "10min"}),
              "1 seeds are there", "1 seeds of 720.0 h");
}

TEST(StoppedCommand, OptimiseKeepsTheEditsThatWereAskedFor) {
  const std::string told = "other edits may gain more";
  expect_kept(stopped({"optimise", STEPCAST_SOURCE_DIR "/tests/golden/data/job.csv", "--edit",
                       "scale rank=2 work=compute by=2/3"}),
              told, "68.53 ms instead of 97.4 ms");
  expect_kept(stopped({"optimise"}, kJob), told, "as it begins");
  expect_kept(stopped({"optimise", "--schedule", "ps", "--nodes", "2"}, kJob), told,
              "as it begins");
}

TEST(StoppedCommand, PlanHasNothingToPrintYet) {
  const Outcome outcome = stopped({"plan", "--workload", "resnet50-rtx2080ti-bs32", "--clusters",
                                   "rtx2080ti-16x4-ib100", "--schedules", "ddp"});
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_EQ(outcome.out, "");
}

}  // namespace
}  // namespace stepcast
