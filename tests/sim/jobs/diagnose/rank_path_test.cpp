#include <gtest/gtest.h>

#include "sim/jobs/diagnose/diagnosis_parts.hpp"
#include "tests/support/made_job.hpp"
#include "tests/support/small_job.hpp"
#include "tests/support/table_job.hpp"

namespace stepcast {
namespace {

// Without the gap of its host rank 1 computes 7 ms, reduces for 3, and rank 0 copies for 1. The sum
// ends on rank 0 last; who came last to it was rank 1.
TEST(RankPathTest, ItsStretchesAreWorkOfOneKindOnOneRank) {
  const Diagnosis diagnosis = overlapping().diagnosis();
  ASSERT_EQ(diagnosis.stretches.size(), 3U);
  EXPECT_EQ(diagnosis.stretches[0].rank, 1U);
  EXPECT_EQ(diagnosis.stretches[0].part, "forward");
  expect_ms(diagnosis.stretches[0].begin, 0);
  expect_ms(diagnosis.stretches[0].duration, 7);
  EXPECT_EQ(diagnosis.stretches[1].part, "all-reduce");
  expect_ms(diagnosis.stretches[1].begin, 7);
  expect_ms(diagnosis.stretches[1].duration, 3);
  EXPECT_EQ(diagnosis.stretches[2].rank, 0U);
  expect_ms(diagnosis.stretches[2].begin, 10);
  EXPECT_EQ(diagnosis.path_step, "1");
  EXPECT_EQ(diagnosis.changes_of_rank, 1);
  expect_ms(diagnosis.uses[0].on_path, 4);
  expect_ms(diagnosis.uses[1].on_path, 7);
}

TEST(RankPathTest, WorkOfOneKindBehindOtherSuchWorkIsOneStretch) {
  SmallJob small;
  small.add(0, kForward, 1, 0, 2);
  small.add(0, kForward, 1, 2, 5);
  small.add(1, kForward, 1, 0, 1);
  small.edge(0, 1);
  const Diagnosis diagnosis = small.diagnosis();
  ASSERT_EQ(diagnosis.stretches.size(), 1U);
  expect_ms(diagnosis.stretches[0].duration, 5);
}

// Rank 3 is late in every step but in the last, which is the shortest; steps 4 to 6 are as long as
// the mean.
TEST(RankPathTest, TheStepIsTheOneNearestToTheMean) {
  MadeJob made{.steps = 8};
  made.pass = [](int rank, int step, int /*batch*/, bool forward) {
    const double longer = step < 4 ? 1.4 : step < 7 ? 1.2 : 1;
    return (forward ? 0.010 : 0.020) * (rank == 3 ? longer : 1);
  };
  const Diagnosis diagnosis = diagnose(table_job(made.text()));
  EXPECT_EQ(diagnosis.path_step, "4");
  EXPECT_EQ(diagnosis.stretches.front().rank, 3U);
  EXPECT_EQ(diagnosis.stretches.front().part, "backward-compute");
  EXPECT_NEAR(diagnosis.stretches.front().duration.value, 0.024, 1e-6);
  EXPECT_LE(diagnosis.stretches.size(), 24U);
}

}  // namespace
}  // namespace stepcast
