// Parts of a job that are replayed side by side, against each by itself.
#include <gtest/gtest.h>

#include "sim/jobs/job_replay.hpp"
#include "tests/support/made_pipeline.hpp"
#include "tests/support/made_timelines.hpp"
#include "traces/job/job_formats.hpp"

namespace stepcast {
namespace {

Job pipeline_of(std::uint32_t copies, std::uint32_t micro_batches) {
  MadePipeline made{.copies = copies, .micro_batches = micro_batches, .message = 0.001};
  made.sum = made.norm = made.update = 0.002;
  made.forward = [](int stage, int copy, int step) {
    return 0.010 * (1 + 0.2 * scatter(stage, copy, step));
  };
  ImportReport report;
  return read_operations_csv(made.text(), "made.csv", {}, report);
}

void expect_each_as_by_itself(const Job& job) {
  const JobReplay replay(job);
  const std::size_t parts = job.ranks.size();
  const auto means = replay.means_of_parts(parts, [](const auto& done) { return done.rank; });
  ASSERT_EQ(means.size(), parts);
  for (std::size_t part = 0; part < parts; ++part)
    EXPECT_EQ(means[part],
              mean_of(replay.replay_if([&](const auto& done) { return done.rank == part; })))
        << part;
  EXPECT_NE(means.front(), means.back());
}

TEST(ReplayedParts, EachTakesWhatItTakesByItself) {
  expect_each_as_by_itself(pipeline_of(3, 4));  // 12 ranks: a full line of lanes, and a part
}

TEST(ReplayedParts, OfALongJobToo) {
  expect_each_as_by_itself(pipeline_of(3, 64));  // on all cores
}

TEST(ReplayedParts, ServersTakeWhatComesFirstInEach) {
  const MadeServers::Files files = MadeServers{}.files();
  ImportReport report;
  const Job job = read_byteps_server_job({text_stream(files.messages, "comm_timeline.json"),
                                          text_stream(files.sums, "server_timeline.json")},
                                         {}, report);
  ASSERT_FALSE(job.steps.front().arrivals.empty());
  expect_each_as_by_itself(job);
}

TEST(ReplayedParts, WhatIsOfNoPartIsIdeal) {
  const Job job = pipeline_of(2, 4);
  const JobReplay replay(job);
  const auto means = replay.means_of_parts(1, [](const auto&) { return 1U; });
  EXPECT_EQ(means.front(), mean_of(replay.replay_if([](const auto&) { return false; })));
}

}  // namespace
}  // namespace stepcast
