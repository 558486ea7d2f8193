// A pipeline whose profiles a generator writes with known truth.
#include <gtest/gtest.h>

#include "sim/jobs/diagnose/diagnosis.hpp"
#include "tests/support/made_job.hpp"
#include "tests/support/made_pipeline_profiles.hpp"
#include "tests/support/profiled_job_of.hpp"

namespace stepcast {
namespace {

Diagnosis diagnosis_of(const MadePipelineProfiles& made) {
  return diagnose(profiled_job_of(made.texts(), {.data = 2, .pipeline = 2}));
}

// Forward 1 + 4 x (.1 + 2) ms, as a receive is posted when the pass before it has ended; backward
// 4 x 4 + .1 + 2 ms; .5 ms of reduction and of update each.
TEST(ProfiledPipelineTest, AnUnevenStageIsFound) {
  const Diagnosis diagnosis = diagnosis_of({});
  EXPECT_EQ(diagnosis.stages, 2U);
  EXPECT_NEAR(diagnosis.recorded_step.value, 0.0285, 0.0002);
  EXPECT_LT(diagnosis.step_error, 0.001);
  EXPECT_GT(diagnosis.slowdown, 1.1);
  EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::Stage) << diagnosis.verdict.text;
  EXPECT_EQ(diagnosis.verdict.subject, "stage 1");
}

TEST(ProfiledPipelineTest, AnEvenPipelineIsNot) {
  const Diagnosis diagnosis = diagnosis_of({.longer = {1, 1}});
  EXPECT_LT(diagnosis.slowdown, 1.05);
  EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::None) << diagnosis.verdict.text;
}

// Nothing in profiles says how many stages there are.
TEST(ProfiledPipelineTest, MessagesWithoutStagesAreDoubted) {
  const std::string doubt =
      "job with messages between ranks, taken as one stage: pp in a job file says more";
  for (const std::uint32_t stages : {0U, 2U}) {
    ImportReport report;
    profiled_job_of(MadePipelineProfiles{}.texts(), report, {.pipeline = stages});
    EXPECT_EQ(report.doubtful().count(doubt), stages == 0 ? 1U : 0U);
  }
}

/// A tenth of the events is missing from the second seed on, and clocks are off by up to 50 ms.
MadePipelineProfiles with_faults(int seed) {
  MadePipelineProfiles made{.steps = 12};
  made.offset = [seed](int rank) { return 50'000 * (2 * scatter(rank, 3, seed) - 1); };
  if (seed > 0)
    made.lost = [seed](int rank, int number) { return scatter(rank, number, seed) < 0.1; };
  return made;
}

constexpr int kSeeds = 12;

TEST(ProfiledPipelineTest, AnUnevenStageIsFoundWhateverIsMissing) {
  for (int seed = 0; seed < kSeeds; ++seed)
    for (const std::size_t stage : {0U, 1U}) {
      MadePipelineProfiles made = with_faults(seed);
      made.longer = {1, 1};
      made.longer.at(stage) = 2;
      const Diagnosis diagnosis = diagnosis_of(made);
      EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::Stage) << seed << diagnosis.verdict.text;
      EXPECT_EQ(diagnosis.verdict.subject, fmt::format("stage {}", stage)) << seed;
    }
}

TEST(ProfiledPipelineTest, ASlowRankOfAnEvenPipelineIsFoundWhateverIsMissing) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    MadePipelineProfiles made = with_faults(seed);
    made.longer = {1, 1};
    made.slow = [seed](int rank) { return rank == seed % 4 ? 1.6 : 1.0; };
    const Diagnosis diagnosis = diagnosis_of(made);
    EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::Worker) << seed << diagnosis.verdict.text;
    EXPECT_EQ(diagnosis.verdict.subject, fmt::format("rank {}", seed % 4)) << seed;
  }
}

TEST(ProfiledPipelineTest, ASlowLinkBetweenStagesIsFoundWhateverIsMissing) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    MadePipelineProfiles made = with_faults(seed);
    made.longer = {1, 1};
    made.slow_link = [seed](int data) { return data == seed % 2 ? 20.0 : 1.0; };
    const Diagnosis diagnosis = diagnosis_of(made);
    EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::Network) << seed << diagnosis.verdict.text;
    EXPECT_EQ(diagnosis.verdict.subject,
              fmt::format("link of rank {} and rank {}", seed % 2, seed % 2 + 2))
        << seed << diagnosis.verdict.text;
  }
}

TEST(ProfiledPipelineTest, AnEvenPipelineIsNotWhateverIsMissing) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    MadePipelineProfiles made = with_faults(seed);
    made.longer = {1, 1};
    const Diagnosis diagnosis = diagnosis_of(made);
    EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::None) << seed << diagnosis.verdict.text;
  }
}

}  // namespace
}  // namespace stepcast
