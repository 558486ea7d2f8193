#include "sim/study/diagnose/measures/rank_times.hpp"

#include <gtest/gtest.h>

#include "tests/support/made_job.hpp"
#include "tests/support/made_profiles.hpp"
#include "tests/support/profiled_job_of.hpp"
#include "traces/job/operations_csv.hpp"

namespace stepcast {
namespace {

enum Kind : std::uint16_t { kForward, kReduce, kCopy };

/// Two ranks, one step; an operation a row: rank, kind, stream, begin and end in ms.
class SmallJob {
 public:
  SmallJob() {
    job_.ranks = {{.number = 0}, {.number = 1, .data = 1}};
    job_.gpus = 2;
    job_.kinds = {{.name = "forward", .work = JobWork::Forward, .part = "forward"},
                  {.name = "all-reduce", .work = JobWork::Transfer, .part = "all-reduce"},
                  {.name = "Memcpy HtoD", .part = "input-copy"}};
    job_.steps = {{.name = "1"}};
  }

  std::uint32_t add(std::uint32_t rank, Kind kind, std::uint8_t stream, double begin, double end) {
    job_.steps[0].operations.push_back({.rank = rank,
                                        .kind = kind,
                                        .stream = stream,
                                        .begin = Seconds{1e-3 * begin},
                                        .end = Seconds{1e-3 * end}});
    return static_cast<std::uint32_t>(job_.steps[0].operations.size() - 1);
  }
  void meet(std::uint32_t first, std::uint32_t second) {
    for (const std::uint32_t member : {first, second})
      job_.steps[0].operations[member].meeting = 0;
    job_.steps[0].meetings = {{.members = {first, second}}};
  }
  void edge(std::uint32_t before, std::uint32_t after) {
    job_.steps[0].edges.emplace_back(before, after);
  }
  Diagnosis diagnosis() const { return diagnose(job_); }
  Job& job() { return job_; }

 private:
  Job job_;
};

// Rank 0 computes 0-4 and 5-8 ms, of which 1 ms is its host's, and reduces from 4 on; rank 1 comes
// at 7, so that the sum of 3 ms ends at 10. Rank 0 copies 8-9 and 11-12 ms.
SmallJob overlapping() {
  SmallJob small;
  const auto first = small.add(0, kForward, 1, 0, 4);
  const auto sum = small.add(0, kReduce, 2, 4, 10);
  const auto second = small.add(0, kForward, 1, 5, 8);
  const auto copy = small.add(0, kCopy, 3, 8, 9);
  const auto last = small.add(0, kCopy, 3, 11, 12);
  const auto other = small.add(1, kForward, 1, 0, 7);
  const auto others_sum = small.add(1, kReduce, 2, 7, 10);
  small.edge(first, sum);
  small.edge(first, second);
  small.edge(second, copy);
  small.edge(sum, last);
  small.edge(other, others_sum);
  small.meet(sum, others_sum);
  return small;
}

void expect_ms(Seconds time, double expected) {
  EXPECT_NEAR(1e3 * time.value, expected, 1e-9);
}

TEST(RankTimesTest, EachInstantOfARankCountsOnce) {
  const Diagnosis diagnosis = overlapping().diagnosis();
  const RankUse& use = diagnosis.uses[0];
  expect_ms(use.computing, 7);
  expect_ms(use.communicating, 3);  // From 7 on.
  expect_ms(use.exposed, 2);        // From 8 on.
  EXPECT_NEAR(*use.overlap(), 1.0 / 3, 1e-12);
  expect_ms(use.copies, 2);
  expect_ms(use.copies_alone, 1);   // The other one runs beside the sum.
  expect_ms(use.waiting, 1);        // From 4 to 5; then it computes.
  expect_ms(use.idle_for_host, 1);  // Until the last copy.
  expect_ms(use.other, 0);
}

// Rank 1 waits for nobody and has nothing to do from 10 to 12 ms.
TEST(RankTimesTest, WhatIsLeftOfTheStepIsOther) {
  const Diagnosis diagnosis = overlapping().diagnosis();
  const RankUse& use = diagnosis.uses[1];
  expect_ms(use.computing, 7);
  expect_ms(use.exposed, 3);
  expect_ms(use.waiting, 0);
  expect_ms(use.other, 2);
  EXPECT_EQ(*use.overlap(), 0);
}

TEST(RankTimesTest, WithoutCommunicationNothingIsToldOfItsOverlap) {
  SmallJob small;
  small.add(0, kForward, 1, 0, 4);
  small.add(1, kForward, 1, 0, 4);
  EXPECT_FALSE(small.diagnosis().uses[0].overlap());
}

TEST(RankTimesTest, CopiesAreToldByTheirNames) {
  EXPECT_TRUE(copies_memory({.name = "copies: Memset", .part = "copies"}));
  EXPECT_TRUE(copies_memory({.name = "forward: Memcpy DtoD", .part = "forward"}));
  EXPECT_TRUE(copies_memory({.name = "COPYD2H of x", .part = "COPYD2H"}));
  EXPECT_FALSE(copies_memory({.name = "forward: copy_kernel", .part = "forward"}));
}

// Twelve kernels of a step take 5 us, the update 500.
TEST(RankTimesTest, ShortKernelsAreCountedWhereKernelsAreRecorded) {
  MadeProfiles made;
  made.kernel = [](int, int, int, bool) { return 5.0; };
  for (const RankUse& use : diagnose(profiled_job_of(made.texts())).uses)
    EXPECT_NEAR(use.short_kernels.value_or(-1), 12, 1e-9);
  made.kernel = [](int, int, int, bool) { return 10.0; };
  for (const RankUse& use : diagnose(profiled_job_of(made.texts())).uses)
    EXPECT_NEAR(use.short_kernels.value_or(-1), 0, 1e-9);
  EXPECT_FALSE(overlapping().diagnosis().uses[0].short_kernels);
}

TEST(RankTimesTest, TheTimesOfProfiledRanksAddUpToTheirStep) {
  MadeProfiles made;
  made.launch = 300;
  const Diagnosis diagnosis = diagnose(profiled_job_of(made.texts()));
  for (const RankUse& use : diagnosis.uses) {
    EXPECT_NEAR((use.computing + use.exposed + use.copies_alone + use.waiting + use.idle_for_host +
                 use.other)
                    .value,
                diagnosis.recorded_step.value, 1e-9);
    EXPECT_GT(*use.overlap(), 0.1);
  }
}

// Steps of 67 ms but the last of twelve of 167: 95 % lie at place 10.45 of 0 to 11.
TEST(RankTimesTest, StepsSpreadAroundTheirMean) {
  MadeJob made;
  made.pause = [](int, int step, int batch) { return step == 11 && batch == 1 ? 0.1 : 0; };
  made.micro_batches = 2;
  ImportReport report;
  Job job = read_operations_csv(made.text(), "job.csv", {}, report);
  job.clocks = put_on_one_clock(job);
  const Diagnosis diagnosis = diagnose(job);
  EXPECT_NEAR(diagnosis.recorded_spread.p50.value, 0.067, 1e-6);
  EXPECT_NEAR(diagnosis.recorded_spread.p95.value, 0.067 + 0.45 * 0.1, 1e-6);
  EXPECT_NEAR(diagnosis.recorded_spread.most.value, 0.167, 1e-6);
  EXPECT_NEAR(diagnosis.simulated_spread.most.value, 0.167, 1e-6);
  EXPECT_NEAR(diagnosis.undelayed_spread.most.value, 0.067, 1e-6);
  EXPECT_NEAR(diagnosis.ideal_spread.p50.value, 0.067, 1e-6);
}

}  // namespace
}  // namespace stepcast
