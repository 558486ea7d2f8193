#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/sim/cli/run_cli.hpp"

namespace stepcast {
namespace {

const std::string kModel = "transformer:model=gpt-22b,device=a100";

Outcome run_of(const std::string& workload, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"run",      "--workload", workload, "--cluster",
                                     "dgx-a100", "--nodes",    "8"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_cli(arguments);
}

std::string error_of(const std::vector<std::string>& more, const std::string& workload = kModel) {
  const Outcome outcome = run_of(workload, more);
  EXPECT_EQ(outcome.exit_code, 2);
  return outcome.err;
}

TEST(RunLayout, WhatIsGivenTwiceIsBlamedOnTheLayout) {
  EXPECT_EQ(error_of({"--schedule", "1f1b", "--layout", "pp=4,pp=4"}),
            "stepcast: --layout pp=4,pp=4: pp: given twice, as pp=4\n");
  EXPECT_EQ(error_of({"--schedule", "1f1b", "--layout", "tp=8,pp=4", "--set", "tp=4"}),
            "stepcast: --layout tp=8,pp=4: tp: given twice, as tp=4 and tp=8\n");
}

TEST(RunLayout, NothingBehindACommaIsRefused) {
  EXPECT_EQ(error_of({"--schedule", "1f1b", "--layout", "tp=8,pp=4,"}),
            "stepcast: --layout tp=8,pp=4,: expected key=value, found \"\"\n");
  EXPECT_EQ(error_of({"--schedule", "1f1b"}, kModel + ","),
            "stepcast: transformer: expected key=value, found \"\"\n");
}

TEST(RunLayout, SchedulesWithoutALayoutSaySo) {
  for (const char* schedule : {"ddp", "fsdp"})
    EXPECT_EQ(error_of({"--schedule", schedule, "--layout", "pp=4"}),
              fmt::format("stepcast: --layout pp=4: {} has no layout; expected one of gpipe, 1f1b, "
                          "interleaved, zb-h1, zb-h2, zb-v, dualpipe, pipeline\n",
                          schedule));
}

TEST(RunLayout, SchedulesThatAreNoneSaySo) {
  const std::string error = error_of({"--schedule", "1F1B", "--layout", "pp=4"});
  EXPECT_TRUE(error.starts_with("stepcast: unknown schedule \"1F1B\": expected one of bsp, "))
      << error;
  EXPECT_TRUE(error.ends_with("zb-v, dualpipe, pipeline; did you mean \"1f1b\"?\n")) << error;
}

TEST(RunLayout, FsdpIsZeroOfStageThree) {
  const auto step_of = [](const std::vector<std::string>& schedule) {
    const Outcome outcome = run_of(kModel, schedule);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const std::size_t begin = outcome.out.find("\nstep  ");
    return outcome.out.substr(begin, outcome.out.find('\n', begin + 1) - begin);
  };
  EXPECT_EQ(step_of({"--schedule", "fsdp"}), step_of({"--schedule", "zero", "--set", "stage=3"}));
}

TEST(RunLayout, DataParallelismMayBeSaidAgain) {
  const Outcome outcome = run_of(
      kModel, {"--schedule", "1f1b", "--layout", "tp=8,pp=4,dp=2", "--fidelity", "analytic"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("tp=8,pp=4,dp=2"), std::string::npos) << outcome.out;
  EXPECT_EQ(error_of({"--schedule", "1f1b", "--layout", "tp=8,pp=4", "--set", "dp=4"}),
            "stepcast: 1f1b: option dp: expected tp x pp x cp x dp (8 x 4 x 1 x 4 = 128) to be the "
            "64 GPUs; leave dp out, and it follows from them\n");
}

// 22 billion parameters on 8 nodes of 8 GPUs: without --nodes a layout with dp says how many.
TEST(RunLayout, DataParallelismGivesTheSizeThatNothingElseGives) {
  const auto gpus_of = [](const std::string& layout, std::vector<std::string> size) {
    std::vector<std::string> arguments{"run",      "--workload", kModel,     "--cluster",
                                       "dgx-a100", "--schedule", "1f1b",     "--layout",
                                       layout,     "--fidelity", "analytic", "--json"};
    arguments.insert(arguments.end(), size.begin(), size.end());
    const Outcome outcome = run_cli(arguments);
    return outcome.exit_code == 0 ? outcome.out.substr(outcome.out.find("\"gpus\": ") + 8, 2)
                                  : outcome.err;
  };
  EXPECT_EQ(gpus_of("tp=8,pp=2,dp=2", {}), "32");
  EXPECT_EQ(gpus_of("tp=8,pp=2,dp=2", {"--nodes", "4"}), "32");
  EXPECT_EQ(gpus_of("tp=2,pp=2,dp=1", {}).substr(0, 1), "4");  // half a node
  EXPECT_NE(gpus_of("tp=8,pp=2,dp=2", {"--nodes", "2"}).find("(8 x 2 x 1 x 2 = 32) to be the 16"),
            std::string::npos);
  EXPECT_NE(gpus_of("tp=4,pp=3,dp=1", {}).find("to be the 256 GPUs"), std::string::npos);
}

TEST(RunLayout, TheLayoutOfLlama3IsNotRefused) {
  const Outcome outcome = run_cli(
      {"run", "--workload", "transformer:model=llama-3-405b,device=h100", "--cluster", "h100-8x8",
       "--nodes", "16", "--schedule", "interleaved", "--layout", "tp=8,pp=16", "--verbose", "--set",
       "virtual_stages=8", "--set", "global_batch=32", "--fidelity", "analytic"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("embedding, block 15, block 31, "), std::string::npos) << outcome.out;
}

TEST(RunLayout, TheAxisThatDoesNotDivideIsBlamed) {
  for (const char* layout : {"pp=100", "tp=8,pp=100"})
    EXPECT_TRUE(error_of({"--schedule", "1f1b", "--layout", layout})
                    .starts_with("stepcast: 1f1b: option pp: expected tp x cp x pp ("));
  EXPECT_TRUE(error_of({"--schedule", "1f1b", "--layout", "tp=16,pp=8"})
                  .starts_with("stepcast: 1f1b: option tp: expected tp x cp x pp ("));
}

TEST(RunLayout, StepsOfTooManyTasksAreRefusedBeforeTheyAreMade) {
  EXPECT_EQ(
      error_of({"--schedule", "1f1b", "--layout", "tp=8,pp=4", "--set", "global_batch=1000000"}),
      "stepcast: 1f1b: option global_batch: expected a step of at most 2000000 tasks, found "
      "about 11000000 (micro-batches: 500000, layers: 48, parts: 4)\n");
  EXPECT_EQ(error_of({"--schedule", "1f1b"}, kModel + ",layers=100000000"),
            "stepcast: transformer: layers: expected at most 10000, found 100000000\n");
}

TEST(RunLayout, TheHeadingSaysTheBatchOfAPass) {
  const Outcome outcome = run_of(kModel, {"--schedule", "1f1b", "--layout", "tp=8,pp=4", "--set",
                                          "batch=4", "--fidelity", "analytic"});
  EXPECT_TRUE(outcome.out.starts_with("1f1b: gpt-22b-a100-bs4 on dgx-a100")) << outcome.out;
}

TEST(RunLayout, AnotherNumberIsNoLikelyTypo) {
  EXPECT_EQ(error_of({"--schedule", "1f1b", "--set", "zero=-1"}),
            "stepcast: 1f1b: option zero: expected one of 0, 1, 2, 3, found \"-1\"\n");
}

// Its layers take as long with 16 samples as with 128.
TEST(RunLayout, AMicroBatchWhoseTimesNobodyKnowsIsToldFirst) {
  const auto notes_with = [](const std::string& micro_batch) {
    const Outcome outcome =
        run_cli({"run", "--workload", "vgg16-pipedream-bs128", "--cluster", "v100-4x8-edr",
                 "--nodes", "1", "--schedule", "1f1b", "--layout", "pp=4,dp=2", "--set",
                 "global_batch=1024", "--set", "micro_batch=" + micro_batch});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out.substr(std::min(outcome.out.find("\nWarnings\n"), outcome.out.size()));
  };
  const std::string doubtful = notes_with("16");
  EXPECT_TRUE(
      doubtful.starts_with("\nWarnings\n- micro_batch=16: the trace does not say how times "
                           "follow the batch"))
      << doubtful;
  EXPECT_EQ(notes_with("128").find("how times follow"), std::string::npos);
}

}  // namespace
}  // namespace stepcast
