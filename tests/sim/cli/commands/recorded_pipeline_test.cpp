// Commands on a workload that was recorded in two stages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/sim/cli/run_cli.hpp"
#include "tests/support/made_pipeline.hpp"

namespace stepcast {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const std::string kData = STEPCAST_SOURCE_DIR "/tests/golden/data/";

class RecordedPipelineTest : public testing::Test {
 protected:
  void SetUp() override {
    const Outcome made = run_cli({"diagnose", kData + "pipeline.csv", "--job",
                                  kData + "pipeline-job.json", "--workload", workload_});
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }

  Outcome of(const std::string& command, const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{command,    "--workload", workload_, "--cluster",
                                       "dgx-a100", "--nodes",    "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_cli(arguments);
  }

  TemporaryFolder folder_;
  std::string workload_ = folder_.file("made.json");
};

TEST_F(RecordedPipelineTest, EveryCommandTakesTheScheduleOfItsStages) {
  const Outcome buckets = of("optimise", {});
  EXPECT_EQ(buckets.exit_code, 2) << buckets.out;
  EXPECT_EQ(buckets.err,
            "stepcast: --schedule ddp: made-recorded was recorded in 2 stages: expected a schedule "
            "that cuts the model, such as 1f1b\n");
  const auto answered = [&](const std::string& command, const std::vector<std::string>& more) {
    const Outcome outcome = of(command, more);
    EXPECT_EQ(outcome.exit_code, 0) << command << outcome.err;
    EXPECT_FALSE(outcome.out.empty()) << command;
  };
  answered("optimise", {"--schedule", "1f1b", "--no-search"});
  answered("tune", {"--schedule", "1f1b", "--option", "pp", "--strategy", "grid", "--low", "1",
                    "--high", "2", "--trials", "2"});
  answered("run", {"--schedule", "1f1b", "--parts", "exposed"});
  answered("compare", {"--steps", "1f1b=3"});
}

TEST_F(RecordedPipelineTest, ComparesOptionsOfItsSchedules) {
  const Outcome outcome = of("compare", {"--schedules", "1f1b,gpipe", "--set", "pp=1,2", "--set",
                                         "zero=0,1", "--fidelity", "analytic", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json results = json::parse(outcome.out)["results"];
  ASSERT_EQ(results.size(), 8U);
  EXPECT_EQ(results[0]["combination"]["pp"], "1");
  EXPECT_EQ(results[0]["layout"], "tp=1,pp=1,dp=8");
  EXPECT_EQ(results[6]["layout"], "tp=1,pp=2,dp=4");
  const Outcome alone = of("run", {"--schedule", "gpipe", "--set", "pp=2", "--set", "zero=0",
                                   "--fidelity", "analytic", "--json"});
  EXPECT_EQ(results[6]["iteration_time_s"], json::parse(alone.out)["iteration_time_s"]);
  const Outcome unknown = of("compare", {"--schedules", "1f1b", "--set", "zeros=1"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("none of the schedules has an option \"zeros\"; did you mean "
                                     "\"zero\"?"));
}

// None of the checked steps, of whose errors such a range is made, cuts the model.
TEST_F(RecordedPipelineTest, HasNoLikelyRange) {
  const Outcome outcome =
      of("compare", {"--schedules", "1f1b", "--fidelity", "analytic", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_FALSE(json::parse(outcome.out)["results"][0].contains("error_basis")) << outcome.out;
}

constexpr const char* kSizes =
    "sizes (gradient_bytes, parameter_bytes, message_bytes): those that take the recorded time on "
    "4 GPUs of dgx-a100";

/// Lines as one, without what indents them.
std::string unwrapped(const std::string& text) {
  std::string line;
  for (const std::string& each : lines_of(text))
    line.append(" ").append(each.substr(std::min(each.size(), each.find_first_not_of(' '))));
  return line;
}

TEST_F(RecordedPipelineTest, ForecastsSayWhereSizesComeFromAndThatHalvesAreAssumed) {
  const Outcome compared = of("compare", {"--schedules", "1f1b,zb-h1", "--fidelity", "analytic"});
  EXPECT_THAT(unwrapped(compared.out), HasSubstr(kSizes));
  EXPECT_THAT(unwrapped(compared.out), HasSubstr("zb-h1, note: Recorded backward passes are cut "
                                                 "into two equal halves"));
  const Outcome whole = of("run", {"--schedule", "1f1b", "--verbose"});
  EXPECT_THAT(unwrapped(whole.out), HasSubstr(kSizes));
  EXPECT_THAT(whole.out, testing::Not(HasSubstr("halves")));
  const Outcome planned = run_cli({"plan", "--workload", workload_, "--cluster", "dgx-a100",
                                   "--gpus", "8", "--schedules", "1f1b"});
  EXPECT_THAT(unwrapped(planned.out), HasSubstr(kSizes));
  EXPECT_THAT(
      unwrapped(planned.out),
      HasSubstr("1,000,000 samples of a micro-batch, 4 for each copy of 2 GPUs as recorded"));
}

TEST_F(RecordedPipelineTest, IsReplayedAtOtherRanksWithItsSizesToldOnce) {
  const Outcome outcome =
      run_cli({"replay", kData + "pipeline.csv", "--job", kData + "pipeline-job.json", "--cluster",
               "dgx-a100", "--ranks", "16"});
  const std::string text = unwrapped(outcome.out);
  EXPECT_NE(text.find("sizes ("), std::string::npos) << outcome.out;
  EXPECT_EQ(text.find("sizes ("), text.rfind("sizes (")) << outcome.out;
}

TEST_F(RecordedPipelineTest, PlansNoLayoutWithFewerPartsThanItNeeds) {
  const Outcome outcome = run_cli({"plan", "--workload", workload_, "--cluster", "dgx-a100",
                                   "--gpus", "8", "--schedules", "interleaved"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("the recorded model has 2 parts"));
}

TEST_F(RecordedPipelineTest, IsShownWithItsOrder) {
  const Outcome outcome = run_cli({"show", workload_});
  EXPECT_THAT(unwrapped(outcome.out),
              HasSubstr("2 stages, tensor 1, context 1, 2 copies, optimiser shared; 1f1b of 4 "
                        "micro-batches"));
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("--set batch")));
}

// Of one copy no gradients are known, from which those that both ends share could be taken.
TEST_F(RecordedPipelineTest, OfOneCopyRunsOnRanksThatHoldBothEnds) {
  const MadePipeline made{.copies = 1, .message = 0.001, .tied = 0.002};
  const std::string workload = folder_.file("one.json");
  const Outcome recorded =
      run_cli({"diagnose", folder_.file("one.csv", made.text()), "--job",
               folder_.file("job.json", R"({"tied_bytes": 1e8, "message_bytes": 1e7})"),
               "--workload", workload});
  ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  const Outcome outcome =
      run_cli({"run", "--workload", workload, "--cluster", "dgx-a100", "--nodes", "1",
               "--gpus-per-node", "4", "--schedule", "1f1b", "--set", "pp=1", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_GT(json::parse(outcome.out)["iteration_time_s"], 0.12);
}

TEST_F(RecordedPipelineTest, OfUnknownSizesLeavesNothingWritten) {
  const std::string table = folder_.file("slow.csv");
  const std::string timeline = folder_.file("t.json");
  const Outcome outcome = run_cli({"diagnose", kData + "pipeline.csv", "--workload", workload_,
                                   "--slow-downs", table, "--timeline", timeline});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(table));
  EXPECT_FALSE(std::filesystem::exists(timeline));
}

}  // namespace
}  // namespace stepcast
