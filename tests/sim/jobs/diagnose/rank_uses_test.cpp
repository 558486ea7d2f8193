#include <gtest/gtest.h>

#include "sim/jobs/diagnose/diagnosis_parts.hpp"
#include "tests/support/made_job.hpp"
#include "tests/support/made_profiles.hpp"
#include "tests/support/profiled_job_of.hpp"
#include "tests/support/small_job.hpp"
#include "tests/support/table_job.hpp"

namespace stepcast {
namespace {

TEST(RankUsesTest, EachInstantOfARankCountsOnce) {
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
TEST(RankUsesTest, WhatIsLeftOfTheStepIsOther) {
  const Diagnosis diagnosis = overlapping().diagnosis();
  const RankUse& use = diagnosis.uses[1];
  expect_ms(use.computing, 7);
  expect_ms(use.exposed, 3);
  expect_ms(use.waiting, 0);
  expect_ms(use.other, 2);
  EXPECT_EQ(*use.overlap(), 0);
}

TEST(RankUsesTest, MeansAreOfRanksAndNotOfServers) {
  SmallJob small = overlapping();
  expect_ms(mean_of_ranks(small.diagnosis(), &RankUse::waiting), 0.5);
  small.job().ranks[1].serves = true;
  expect_ms(mean_of_ranks(small.diagnosis(), &RankUse::waiting), 1);
}

TEST(RankUsesTest, WithoutCommunicationNothingIsToldOfItsOverlap) {
  SmallJob small;
  small.add(0, kForward, 1, 0, 4);
  small.add(1, kForward, 1, 0, 4);
  EXPECT_FALSE(small.diagnosis().uses[0].overlap());
}

// Twelve kernels of a step take 5 us, the update 500.
TEST(RankUsesTest, ShortKernelsAreCountedWhereKernelsAreRecorded) {
  MadeProfiles made;
  made.kernel = [](int, int, int, bool) { return 5.0; };
  for (const RankUse& use : diagnose(profiled_job_of(made.texts())).uses)
    EXPECT_NEAR(use.short_kernels.value_or(-1), 12, 1e-9);
  made.kernel = [](int, int, int, bool) { return 10.0; };
  for (const RankUse& use : diagnose(profiled_job_of(made.texts())).uses)
    EXPECT_NEAR(use.short_kernels.value_or(-1), 0, 1e-9);
  EXPECT_FALSE(overlapping().diagnosis().uses[0].short_kernels);
}

TEST(RankUsesTest, TheTimesOfProfiledRanksAddUpToTheirStep) {
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
TEST(RankUsesTest, StepsSpreadAroundTheirMean) {
  MadeJob made;
  made.pause = [](int, int step, int batch) { return step == 11 && batch == 1 ? 0.1 : 0; };
  made.micro_batches = 2;
  const Diagnosis diagnosis = diagnose(table_job(made.text()));
  EXPECT_NEAR(diagnosis.recorded_spread.p50.value, 0.067, 1e-6);
  EXPECT_NEAR(diagnosis.recorded_spread.p95.value, 0.067 + 0.45 * 0.1, 1e-6);
  EXPECT_NEAR(diagnosis.recorded_spread.most.value, 0.167, 1e-6);
  EXPECT_NEAR(diagnosis.simulated_spread.most.value, 0.167, 1e-6);
  EXPECT_NEAR(diagnosis.undelayed_spread.most.value, 0.067, 1e-6);
  EXPECT_NEAR(diagnosis.ideal_spread.p50.value, 0.067, 1e-6);
}

}  // namespace
}  // namespace stepcast
