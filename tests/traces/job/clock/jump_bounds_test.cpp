// Jumps of clocks that ends of collectives seem to tell, and messages refute.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/made_pipeline.hpp"
#include "tests/support/published_jobs.hpp"
#include "traces/job/clock/clock_jumps.hpp"
#include "traces/job/job_formats.hpp"

namespace stepcast {
namespace {

/// A message each way in 20 steps of a second, by which host 1 may be off by half a millisecond.
ClockEvidence twenty_steps() {
  ClockEvidence evidence{.hosts = 3};
  for (std::uint32_t step = 0; step < 20; ++step) {
    evidence.begins.push_back(step);
    for (const std::uint32_t before : {0U, 1U})
      evidence.bounds.push_back(
          {.before = before, .after = 1 - before, .most = 0.0005, .step = step, .message = true});
  }
  return evidence;
}

// Of no slope from .5 ms behind to .5 ms ahead. Lines may lose 1 ms in the nine seconds of a side,
// and as they do so in the second between the sides, too, the jump makes up for that.
TEST(JumpBoundsTest, AJumpIsAsLongAsBothLinesAllow) {
  const JumpBounds bounds(twenty_steps());
  EXPECT_NEAR(bounds.most_ahead(1, 0, 0, 10, 20), 0.001 + 0.001 / 9, 1e-9);
  EXPECT_NEAR(bounds.most_ahead(0, 1, 0, 10, 20), 0.001 + 0.001 / 9, 1e-9);
}

TEST(JumpBoundsTest, WhatMessagesDoNotSayIsUnbounded) {
  ClockEvidence evidence = twenty_steps();
  EXPECT_TRUE(std::isinf(JumpBounds(evidence).most_ahead(2, 0, 0, 10, 20)));
  EXPECT_TRUE(std::isinf(JumpBounds(evidence).most_ahead(1, 0, 0, 10, 10)));
  evidence.bounds[0].most = -0.01;  // 10 ms earlier than it was sent.
  evidence.bounds[2].most = -0.01;
  EXPECT_TRUE(std::isinf(JumpBounds(evidence).most_ahead(1, 0, 0, 10, 20)));
}

std::string without_rank(const std::string& text, std::uint32_t without) {
  std::string kept;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    const std::string row = text.substr(at, end - at);
    const std::size_t rank = row.find(',', row.find(',') + 1) + 1;
    if (row.substr(rank, row.find(',', rank) - rank) != std::to_string(without))
      kept += row;
    at = end;
  }
  return kept;
}

/// Four stages of two ranks without one. From the twelfth step on the two in the middle end the
/// norm 3 ms earlier than the others.
Job early_job(std::uint32_t without) {
  MadePipeline made{.micro_batches = 4, .steps = 24, .message = 0.0005, .sum = 0.004, .norm = 0.01};
  made.forward = [](int stage, int copy, int step) {
    return 0.010 * (1 + 0.1 * scatter(stage, copy, step));
  };
  ImportReport report;
  Job job = read_operations_csv(without_rank(made.text(), without), "job.csv", {}, report);
  for (std::size_t number = 0; number < job.steps.size(); ++number)
    for (JobOperation& done : job.steps[number].operations) {
      const std::uint32_t stage = job.ranks[done.rank].stage;
      if (number >= 12 && (stage == 1 || stage == 2) &&
          job.kinds[done.kind].name == "optimizer-clip-main-grad")
        done.end -= Seconds{0.003};
    }
  return job;
}

TEST(JumpBoundsTest, CollectivesThatEndEarlierOnSomeStagesAreNoJumps) {
  for (std::uint32_t without = 0; without <= 8; ++without) {
    Job job = early_job(without);
    const JobClocks clocks = put_on_one_clock(job);
    EXPECT_TRUE(clocks.jumps.empty()) << without;
    EXPECT_EQ(clocks.parts, 1U) << without;
  }
}

// Without rank 0 a jump of 1.8 ms was told in step 514, and two parts that nothing joins.
TEST(JumpBoundsTest, StHasNoJumpWhicheverRankIsLeftOut) {
  STEPCAST_SKIP_WITHOUT(jobs_folder());
  ImportReport report;
  const std::string text = text_of(file_stream(jobs_folder() / "ST.csv.gz"));
  for (std::uint32_t without = 0; without < 8; ++without) {
    Job job = read_operations_csv(without_rank(text, without), "ST", {}, report);
    EXPECT_EQ(job.ranks.size(), 7U);
    const JobClocks clocks = put_on_one_clock(job);
    EXPECT_TRUE(clocks.jumps.empty()) << without;
    EXPECT_EQ(clocks.parts, 1U) << without;
  }
}

}  // namespace
}  // namespace stepcast
