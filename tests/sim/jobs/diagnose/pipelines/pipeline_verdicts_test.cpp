// Diagnoses of generated pipelines whose bottleneck is known.
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/base/text.hpp"
#include "sim/jobs/diagnose/diagnosis.hpp"
#include "tests/support/made_pipeline.hpp"
#include "tests/support/table_job.hpp"
#include "traces/job/clocks.hpp"

namespace stepcast {
namespace {

// Stage 1 took part in all messages of the slow link and was told to have more work.
TEST(PipelineVerdictsTest, ASlowLinkBetweenStagesIsNoUnevenStage) {
  for (const std::uint32_t copies : {2U, 4U}) {
    MadePipeline made{.copies = copies, .micro_batches = 8, .steps = 4, .message = 0.001};
    made.longer = [](int above, int copy) { return above == 1 && copy == 0 ? 12.0 : 1.0; };
    const JobVerdict verdict = diagnose(table_job(made.text())).verdict;
    EXPECT_EQ(verdict.kind, VerdictKind::Network) << verdict.text;
    EXPECT_EQ(verdict.text.find("A slow link of rank"), 0U) << verdict.text;
  }
}

TEST(PipelineVerdictsTest, AStageWithMoreWorkIsNamedWhicheverItIs) {
  for (int slow = 0; slow < 4; ++slow) {
    MadePipeline made{.micro_batches = 8, .steps = 4, .message = 0.001};
    made.forward = [=](int stage, int, int) { return stage == slow ? 0.014 : 0.010; };
    made.backward = [=](int stage, int, int) { return stage == slow ? 0.028 : 0.020; };
    const JobVerdict verdict = diagnose(table_job(made.text())).verdict;
    EXPECT_EQ(verdict.kind, VerdictKind::Stage) << verdict.text;
    EXPECT_EQ(verdict.subject, "stage " + std::to_string(slow));
  }
}

// A rank stands still for 80 ms before a forward pass, or in it, another rank in each step.
TEST(PipelineVerdictsTest, GarbageCollectionIsTheHosts) {
  for (const bool within : {false, true})
    for (const int steps : {6, 24}) {
      MadePipeline made{.micro_batches = 8, .steps = steps, .within = within, .message = 0.001};
      made.pause = [](int stage, int copy, int step, int batch) {
        const int rank = step * 5 % 8;
        return stage == rank / 2 && copy == rank % 2 && batch == step % 3 + 2 ? 0.08 : 0.0;
      };
      const JobVerdict verdict = diagnose(table_job(made.text())).verdict;
      EXPECT_EQ(verdict.kind, VerdictKind::Host) << within << steps << verdict.text;
      EXPECT_NE(verdict.text.find("Pauses of the host"), std::string::npos)
          << within << steps << verdict.text;
    }
}

// Its number was that of one stage with ideal work, beside a gain that was that of even stages.
TEST(PipelineVerdictsTest, TheVerdictOnAStageNamesTheStepOfEvenStages) {
  MadePipeline made{.micro_batches = 8, .steps = 4, .message = 0.001};
  made.forward = [](int stage, int, int) { return stage == 1 ? 0.014 : 0.010; };
  made.backward = [](int stage, int, int) { return stage == 1 ? 0.028 : 0.020; };
  const Diagnosis diagnosis = diagnose(table_job(made.text()));
  EXPECT_NE(diagnosis.verdict.text.find(
                fmt::format("With the work spread evenly over the stages a step takes {} instead",
                            format_seconds(*diagnosis.gains.even_stages))),
            std::string::npos)
      << diagnosis.verdict.text;
}

// In the norm over all ranks all wait for the first stage, whose passes end last.
TEST(PipelineVerdictsTest, NobodyHoldsUpOtherStages) {
  const MadePipeline made{.micro_batches = 8, .sum = 0.002, .norm = 0.001};
  for (const RankUse& use : diagnose(table_job(made.text())).uses)
    EXPECT_NEAR(use.holding.value, 0, 1e-9) << use.rank;
}

// A receive that is asked for when its message is sent: it was told that the host let it wait.
TEST(PipelineVerdictsTest, AWaitForAMessageIsNoDelayOfTheHost) {
  const MadePipeline made{.micro_batches = 8, .message = 0.001};
  for (const RankUse& use : diagnose(table_job(made.text())).uses) {
    EXPECT_NEAR(use.idle_for_host.value, 0, 1e-9) << use.rank;
    EXPECT_GT(use.waiting.value, 0.01) << use.rank;
  }
}

}  // namespace
}  // namespace stepcast
