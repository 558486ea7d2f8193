// Clocks that jump by little, or while nothing is recorded.
#include <gtest/gtest.h>

#include "tests/support/made_job.hpp"
#include "tests/support/made_pipeline.hpp"
#include "traces/job/clock/clock_jumps.hpp"
#include "traces/job/job_formats.hpp"

namespace stepcast {
namespace {

/// Passes that vary by a tenth, in 24 steps.
Job made_job(int ranks) {
  MadeJob made{.ranks = ranks, .steps = 24};
  made.pass = [](int rank, int step, int batch, bool forward) {
    return (forward ? 0.01 : 0.02) * (1 + 0.1 * scatter(rank, step, batch));
  };
  ImportReport report;
  return read_operations_csv(made.text(), "job.csv", {}, report);
}

void set_ahead(Job& job, std::uint32_t rank, std::size_t from, double by) {
  for (std::size_t step = from; step < job.steps.size(); ++step)
    for (JobOperation& done : job.steps[step].operations)
      for (Seconds* time : {&done.begin, &done.end})
        *time += Seconds{done.rank == rank ? by : 0};
}

// Ends of a reduce-scatter of 4 ms allow clocks to be set by nearly as much. Of two clocks the
// first one keeps its time.
TEST(OffsetJumpsTest, SmallJumpsBetweenStepsAreFound) {
  for (const int ranks : {2, 3, 8})
    for (const std::uint32_t rank : {0U, 1U})
      for (const double by : {0.002, -0.003}) {
        Job job = made_job(ranks);
        set_ahead(job, rank, 11, by);
        const JobClocks clocks = put_on_one_clock(job);
        ASSERT_EQ(clocks.jumps.size(), 1U) << ranks << " " << rank << " " << by;
        EXPECT_EQ(clocks.jumps.front().host,
                  ranks == 2 ? "rank 1" : "rank " + std::to_string(rank));
        EXPECT_EQ(clocks.jumps.front().step, "11");
        EXPECT_NEAR(clocks.jumps.front().by.value, std::abs(by), 1e-4);
        EXPECT_EQ(job.steps.size(), 23U);
        EXPECT_LT(clocks.residual.value, 1e-6);
      }
}

// Of three steps at an end two are behind it, and tell it: it was told one step further in.
TEST(OffsetJumpsTest, JumpsTwoStepsFromAnEndAreToldThere) {
  for (const int ranks : {2, 3, 8})
    for (const std::size_t step : {2U, 3U, 21U, 22U})
      for (const double by : {0.002, -0.003}) {
        Job job = made_job(ranks);
        set_ahead(job, 1, step, by);
        const JobClocks clocks = put_on_one_clock(job);
        ASSERT_EQ(clocks.jumps.size(), 1U) << ranks << " " << step << " " << by;
        EXPECT_EQ(clocks.jumps.front().host, "rank 1");
        EXPECT_EQ(clocks.jumps.front().step, std::to_string(step));
        EXPECT_NEAR(clocks.jumps.front().by.value, std::abs(by), 1e-4);
        EXPECT_EQ(job.steps.size(), 23U);
        EXPECT_LT(clocks.residual.value, 1e-6);
      }
}

// One step that is off may have a reason of its own.
TEST(OffsetJumpsTest, OfTheFirstAndTheLastStepNoneIsTold) {
  for (const std::size_t step : {1U, 23U}) {
    Job job = made_job(8);
    set_ahead(job, 1, step, 0.002);
    EXPECT_TRUE(put_on_one_clock(job).jumps.empty()) << step;
  }
}

// Clocks before that and behind need nothing that joins them: no step has both.
TEST(OffsetJumpsTest, ClocksThatJumpAtATimeAreOfOnePart) {
  Job job = made_job(8);
  set_ahead(job, 2, 11, 0.003);
  set_ahead(job, 5, 11, -0.002);
  const JobClocks clocks = put_on_one_clock(job);
  EXPECT_EQ(clocks.jumps.size(), 2U);
  EXPECT_EQ(clocks.parts, 1U);
  for (const HostClock& clock : clocks.hosts)
    EXPECT_EQ(clock.part, 0U);
}

/// 500 s pass before the twelfth step, and a clock drifts.
Job paused_job(double drift) {
  Job job = made_job(8);
  for (std::size_t number = 0; number < job.steps.size(); ++number) {
    JobStep& step = job.steps[number];
    step.begin += Seconds{number < 12 ? 0.0 : 500.0};
    for (JobOperation& done : step.operations)
      for (Seconds* time : {&done.begin, &done.end})
        *time += (step.begin + *time) * (done.rank == 2 ? drift : 0);
  }
  return job;
}

// 250 ms are what a clock may drift meanwhile; the steps before and behind know it to 1 ppm.
TEST(OffsetJumpsTest, JumpsInAPauseAreFoundAndDriftsAreNone) {
  for (const double drift : {0.0, 20e-6, -200e-6}) {
    Job drifting = paused_job(drift);
    EXPECT_TRUE(put_on_one_clock(drifting).jumps.empty()) << drift;
    for (const double by : {0.003, -0.1}) {
      Job job = paused_job(drift);
      set_ahead(job, 2, 12, by);
      const JobClocks clocks = put_on_one_clock(job);
      ASSERT_EQ(clocks.jumps.size(), 1U) << drift << " " << by;
      EXPECT_EQ(clocks.jumps.front().host, "rank 2");
      EXPECT_EQ(clocks.jumps.front().step, "12");
      EXPECT_NEAR(clocks.jumps.front().by.value, std::abs(by), 0.001);
      EXPECT_NEAR(clocks.hosts[2].offset.value, 0, 2e-6);
      EXPECT_LT(clocks.residual.value, 1e-6);
    }
  }
}

TEST(OffsetJumpsTest, StepsAfterAnotherWithoutAJumpHaveNone) {
  for (const int ranks : {2, 3, 8}) {
    Job job = made_job(ranks);
    EXPECT_TRUE(put_on_one_clock(job).jumps.empty()) << ranks;
  }
}

// A message of 1 ms may have been sent by as much earlier or later; the last stage shares a sum
// with the first one. All stages end the norm together, which ends of a real one do not.
TEST(ClockWidthsTest, StagesAreKnownAsWellAsMessagesTell) {
  const MadePipeline made{
      .micro_batches = 6, .steps = 6, .message = 0.001, .sum = 0.01, .tied = 0.005, .norm = 0.001};
  ImportReport report;
  Job job = read_operations_csv(made.text(), "job.csv", {}, report);
  const JobClocks clocks = put_on_one_clock(job);
  for (const std::size_t rank : {0U, 1U, 6U, 7U})
    EXPECT_LT(clocks.hosts[rank].half_width.value, 1e-6) << rank;
  for (const std::size_t rank : {2U, 3U, 4U, 5U})
    EXPECT_NEAR(clocks.hosts[rank].half_width.value, 0.001, 1e-6) << rank;
}

}  // namespace
}  // namespace stepcast
