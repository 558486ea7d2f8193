// In which kernels the slowest rank loses.
#include <gtest/gtest.h>

#include "sim/jobs/diagnose/diagnosis.hpp"
#include "tests/support/made_pipeline.hpp"
#include "tests/support/made_profiles.hpp"
#include "tests/support/profiled_job_of.hpp"
#include "tests/support/table_job.hpp"

namespace stepcast {
namespace {

// Rank 2 takes 1.4 times as long in backward passes alone: six kernels of 2 ms a step.
TEST(UnevenKernelsTest, TheSlowestRankLosesInItsSlowKernels) {
  MadeProfiles made;
  made.kernel = [](int rank, int, int, bool forward) {
    return forward ? 1000.0 : (rank == 2 ? 2800.0 : 2000.0);
  };
  const Diagnosis diagnosis = diagnose(profiled_job_of(made.texts()));
  ASSERT_TRUE(diagnosis.uneven_kernels.has_value());
  EXPECT_EQ(diagnosis.uneven_kernels->slowest, 2U);
  ASSERT_FALSE(diagnosis.uneven_kernels->kinds.empty());
  const UnevenKind& kind = diagnosis.uneven_kernels->kinds.front();
  EXPECT_NE(kind.name.find("backward"), std::string::npos) << kind.name;
  EXPECT_NEAR(kind.longer_by().value, 0.0008, 1e-6);
  EXPECT_NEAR(kind.slowest.count, 1, 1e-9);
  EXPECT_EQ(diagnosis.uneven_kernels->kinds.size(), 5U);
}

// Stages differ, which is no matter of ranks; ranks of one are alike.
TEST(UnevenKernelsTest, RanksOfDifferentStagesAreNotCompared) {
  MadePipeline made{.message = 0.001};
  made.forward = [](int stage, int, int) { return 0.01 * (1 + stage); };
  const Diagnosis diagnosis = diagnose(table_job(made.text()));
  EXPECT_FALSE(diagnosis.uneven_kernels.has_value());
}

}  // namespace
}  // namespace stepcast
