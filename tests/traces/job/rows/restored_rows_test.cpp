// Tables of pipelines whose truth is known, of which rows are lost.
#include <algorithm>
#include <cmath>
#include <tuple>

#include <gtest/gtest.h>

#include "tests/support/lost_rows.hpp"
#include "tests/support/made_pipeline.hpp"
#include "traces/job/job_formats.hpp"
#include "traces/job/rows/table_rows.hpp"

namespace stepcast {
namespace {

const char* const kRestored = "row that is lost, restored from what its rank ran in other steps";

/// Passes that differ from stage to stage and, by a hundredth, from step to step.
MadePipeline uneven_pipeline() {
  MadePipeline made{.micro_batches = 6,
                    .steps = 8,
                    .message = 0.001,
                    .sum = 0.01,
                    .norm = 0.001,
                    .update = 0.002};
  made.forward = [](int stage, int copy, int step) {
    return (0.010 + 0.002 * stage) * (1 + 0.01 * scatter(stage, copy, step));
  };
  made.backward = [](int stage, int copy, int step) {
    return (0.020 + 0.004 * stage) * (1 + 0.01 * scatter(stage, copy, step));
  };
  return made;
}

Job read(const std::string& text, ImportReport& report) {
  return read_operations_csv(text, "job.csv", {}, report);
}

auto identity(const JobOperation& done) {
  return std::tuple(done.rank, done.kind, done.stream, done.sequence, done.micro_batch);
}

const JobOperation& same_in(const JobStep& step, const JobOperation& done) {
  return *std::ranges::find_if(step.operations, [&](const JobOperation& other) {
    return identity(other) == identity(done);
  });
}

// A pass lies between its message and that which it sends: of ten that come back nine are off by
// less than 1 % of the 10 to 32 ms that passes take, which is how much they differ by step.
TEST(RestoredRowsTest, LostRowsComeBackWhereTheyWere) {
  const std::string whole = uneven_pipeline().text();
  ImportReport clean;
  const Job complete = read(whole, clean);
  EXPECT_TRUE(clean.clean());
  EXPECT_EQ(complete.restored, 0U);
  for (unsigned seed = 1; seed <= 6; ++seed) {
    ImportReport report;
    const Job job = read(with_lost_rows(whole, 0.1, seed), report);
    ASSERT_EQ(job.steps.size(), complete.steps.size());
    ASSERT_EQ(report.doubtful().size(), 1U) << seed;
    EXPECT_EQ(report.doubtful().begin()->first, kRestored);
    EXPECT_EQ(report.doubtful().begin()->second.count, job.restored);
    std::size_t restored = 0;
    std::size_t off = 0;
    for (std::size_t step = 0; step < job.steps.size(); ++step) {
      ASSERT_EQ(job.steps[step].operations.size(), complete.steps[step].operations.size());
      EXPECT_EQ(job.steps[step].meetings.size(), complete.steps[step].meetings.size());
      for (const JobOperation& done : job.steps[step].operations) {
        restored += done.restored ? 1 : 0;
        const JobOperation& truth = same_in(complete.steps[step], done);
        const Seconds begin = done.begin - truth.begin, end = done.end - truth.end;
        const double by = std::max(std::abs(begin.value), std::abs(end.value));
        EXPECT_LT(by, done.restored ? 0.01 : 1e-12) << seed;
        off += by > 0.0003 ? 1 : 0;
      }
    }
    EXPECT_LT(10 * off, restored) << seed;
    EXPECT_EQ(restored, job.restored);
    EXPECT_GT(restored, 100U);
  }
}

// Where half of the ranks lack it nobody ran it: a last step of fewer micro-batches.
TEST(RestoredRowsTest, StepsOfFewerMicroBatchesAreComplete) {
  MadePipeline made = uneven_pipeline();
  std::string text = made.text();
  std::string shorter;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    const std::string row = text.substr(at, end - at);
    const bool in_last_step =
        std::count(row.begin(), row.end(), ',') > 4 &&
        row.find(",7,forward") + row.find(",7,backward") != 2 * std::string::npos;
    const bool is_fifth = row.find(",5,0,") != std::string::npos;
    if (!in_last_step || !is_fifth)
      shorter += row;
    at = end;
  }
  ASSERT_LT(shorter.size(), text.size());
  ImportReport report;
  EXPECT_EQ(read(shorter, report).restored, 0U);
}

// The recording of a rank ends in the middle of a step: what comes behind was not lost.
TEST(RestoredRowsTest, RanksThatRecordedLessThanHalfAStepAreLeftAsTheyAre) {
  const std::string whole = uneven_pipeline().text();
  std::string text;
  std::size_t kept = 0;
  for (std::size_t at = 0; at < whole.size();) {
    const std::size_t end = whole.find('\n', at) + 1;
    const std::string row = whole.substr(at, end - at);
    if (!row.starts_with("1,3,7,7,") || ++kept <= 4)  // of rank 7 in step 7
      text += row;
    at = end;
  }
  ImportReport report;
  const Job job = read(text, report);
  EXPECT_EQ(job.restored, 0U);
  EXPECT_EQ(report.doubtful().count("pass that is missing: other ranks ran it in the step"), 1U);
  EXPECT_EQ(job.lost, kept - 4);  // All of them, whatever their kind.
}

// What was not recorded says nothing about clocks: alone it would contradict all others.
TEST(RestoredRowsTest, ClocksAreFoundWithoutThem) {
  const std::string whole = uneven_pipeline().text();
  for (unsigned seed = 1; seed <= 6; ++seed) {
    ImportReport report;
    Job job = read(with_lost_rows(whole, 0.1, seed), report);
    for (JobStep& step : job.steps)
      for (JobOperation& done : step.operations)
        if (done.restored)
          done.end += Seconds{0.5};
    const JobClocks clocks = put_on_one_clock(job);
    EXPECT_TRUE(clocks.jumps.empty()) << seed;
    for (const HostClock& clock : clocks.hosts) {
      EXPECT_NEAR(clock.offset.value, 0, 1e-6) << seed;
      EXPECT_EQ(clock.violations_before, 0U) << seed;
    }
  }
}

}  // namespace
}  // namespace stepcast
