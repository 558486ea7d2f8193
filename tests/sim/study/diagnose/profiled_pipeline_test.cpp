// A pipeline whose profiles a generator writes with known truth.
#include <gtest/gtest.h>

#include "sim/study/diagnose/diagnosis.hpp"
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

TEST(ProfiledPipelineTest, AnUnevenStageIsFoundWithATenthOfTheEventsMissing) {
  for (int seed = 1; seed <= 5; ++seed) {
    MadePipelineProfiles made{.steps = 12};
    made.lost = [seed](int rank, int number) { return scatter(rank, number, seed) < 0.1; };
    const Diagnosis diagnosis = diagnosis_of(made);
    EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::Stage) << seed << diagnosis.verdict.text;
    EXPECT_EQ(diagnosis.verdict.subject, "stage 1") << seed;
  }
}

}  // namespace
}  // namespace stepcast
