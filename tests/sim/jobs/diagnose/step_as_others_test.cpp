#include "sim/jobs/diagnose/step_as_others.hpp"

#include <gtest/gtest.h>

#include "tests/support/made_job.hpp"
#include "tests/support/small_job.hpp"
#include "tests/support/table_job.hpp"

namespace stepcast {
namespace {

// Three ranks compute 30 ms and one 60, transfers take 4 + 1 ms: 35 ms and the update's 2 as the
// others; the mean of all, 37.5 ms, would make it 44.5.
TEST(StepAsOthersTest, ASlowRankIsAsFastAsTheOthersNotAsTheMeanOfAll) {
  MadeJob made{.ranks = 4, .micro_batches = 1};
  made.pass = [](int rank, int /*step*/, int /*batch*/, bool forward) {
    return (forward ? 0.010 : 0.020) * (rank == 2 ? 2 : 1);
  };
  const Diagnosis diagnosis = diagnose(table_job(made.text()));
  EXPECT_NEAR(diagnosis.gains.even_ranks->value, 0.037, 1e-6);
  EXPECT_NEAR(diagnosis.ideal_step.value, 0.0445, 1e-6);
  EXPECT_EQ(diagnosis.verdict.text,
            "Slow: rank 2. With its work as fast as the others' a step takes 37 ms instead of 67 "
            "ms, 44.8 % less. It explains all of the waste.");
}

// Stage 1 takes 6 and 9 ms on its two ranks, stage 0 takes 2: the slow one is as the other of its
// stage.
TEST(StepAsOthersTest, OthersAreThoseOfTheSameStage) {
  SmallJob small;
  small.job().stages = 2;
  small.job().ranks = {{.number = 0}, {.number = 1, .stage = 1}, {.number = 2, .stage = 1}};
  small.add(0, kForward, 1, 0, 2);
  small.add(1, kForward, 1, 0, 6);
  small.add(2, kForward, 1, 0, 9);
  const JobReplay replay(small.job());
  EXPECT_NEAR(*step_as_others(replay, {2}, AsOthers::All), 0.006, 1e-9);
  EXPECT_FALSE(step_as_others(replay, {0}, AsOthers::All));
}

// Both compute 4 ms; a copy of 1 ms that rank 1 alone makes stays. Its send, of 3 ms, takes the 1
// ms of the other's, unless transfers stay as recorded.
TEST(StepAsOthersTest, TransfersTakeTheOthersMedianOrStayAsRecorded) {
  SmallJob small;
  small.add(0, kForward, 1, 0, 4);
  small.add(0, kSend, 2, 4, 5);
  small.edge(0, 1);
  small.add(1, kForward, 1, 0, 4);
  small.add(1, kSend, 2, 4, 7);
  small.add(1, kCopy, 3, 7, 8);
  small.edge(2, 3);
  small.edge(3, 4);
  const JobReplay replay(small.job());
  EXPECT_NEAR(*step_as_others(replay, {1}, AsOthers::All), 0.006, 1e-9);
  EXPECT_NEAR(*step_as_others(replay, {1}, AsOthers::Computation), 0.008, 1e-9);
}

}  // namespace
}  // namespace stepcast
