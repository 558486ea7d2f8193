#include "sim/study/diagnose/job_doubts.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

Job job_of(std::size_t operations) {
  Job job{.name = "a"};
  job.steps.resize(1);
  job.steps.front().operations.resize(operations);
  job.clocks.hosts = {{.name = "rank 0"}, {.name = "rank 1"}, {.name = "rank 2"}};
  return job;
}

TEST(JobDoubtsTest, AJobIsDoubtedForEachReason) {
  using Doubts = std::vector<std::string>;
  Job job = job_of(200);
  EXPECT_EQ(doubts_of(job, 0), Doubts());
  job.restored = 2;
  EXPECT_EQ(doubts_of(job, 0), Doubts());
  job.restored = 3;
  const std::string restored =
      "3 of 200 operations (1.5 %) are not recorded and were restored as others tell";
  EXPECT_EQ(doubts_of(job, 0), Doubts{restored});
  job.clocks.uncoupled = {1, 2};
  EXPECT_EQ(doubts_of(job, 0),
            (Doubts{restored,
                    "rank 1 with 1 other and the rest never wait for each other, like ranks of two "
                    "jobs"}));
  job.clocks.contradicted = 1;
  EXPECT_EQ(
      doubts_of(job, 0),
      (Doubts{restored, "clocks contradict each other in 1 of 1 steps, like those of two jobs"}));
}

TEST(JobDoubtsTest, ClocksThatNothingJoinsAreDoubted) {
  Job job = job_of(1);
  job.clocks.parts = 2;
  EXPECT_EQ(doubts_of(job, 0), std::vector<std::string>{
                                   "nothing joins the clocks of 2 parts of the job, between which "
                                   "waits are not known"});
}

}  // namespace
}  // namespace stepcast
