#include <gtest/gtest.h>

#include "sim/jobs/diagnose/diagnosis_parts.hpp"
#include "tests/support/input_error.hpp"

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

TEST(JobDoubtsTest, RanksThatWereRecordedAnHourApartAreDoubted) {
  Job job = job_of(1);
  job.apart = Seconds{59};
  EXPECT_EQ(doubts_of(job, 0), std::vector<std::string>());
  job.apart = Seconds{3600};
  EXPECT_EQ(doubts_of(job, 0),
            std::vector<std::string>{"ranks were recorded 3600 s apart, so that their clocks are "
                                     "wrong, or they are of two jobs"});
}

TEST(JobDoubtsTest, RowsThatStayLostCount) {
  Job job = job_of(198);
  job.lost = 2;
  EXPECT_EQ(doubts_of(job, 0), std::vector<std::string>());
  job.restored = 1;
  EXPECT_EQ(doubts_of(job, 0),
            std::vector<std::string>{"3 of 200 operations (1.5 %) are not recorded and 1 of these "
                                     "were restored as others tell"});
  job.restored = 0;
  job.lost = 3;
  EXPECT_EQ(doubts_of(job, 0), std::vector<std::string>{
                                   "3 of 201 operations (1.5 %) are not recorded and could not be "
                                   "restored as others tell"});
}

// Two jobs are replayed far off, which was all that was said.
TEST(JobDoubtsTest, AReplayThatIsRefusedTellsOfTwoJobs) {
  Job job = job_of(1);
  job.clocks.uncoupled = {1};
  EXPECT_EQ(
      input_error_of([&] { doubts_of(job, 0.2); }),
      "a: the replay of the recorded steps misses them by 20.0 %: expected at most 10 % for "
      "what-ifs to mean anything; rank 1 and the rest never wait for each other, like ranks of "
      "two jobs");
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
