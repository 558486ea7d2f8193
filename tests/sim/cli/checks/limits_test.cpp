#include "sim/cli/checks/limits.hpp"

#include <cstdlib>
#include <ctime>
#include <string>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace stepcast {
namespace {

/// Nothing here says when a job ends.
class UsualTime : public testing::Test {
 protected:
  void SetUp() override {
    ::unsetenv("SLURM_JOB_END_TIME");
    ::getrlimit(RLIMIT_CPU, &before_);
    set_processor_time(before_.rlim_max);
  }
  void TearDown() override {
    ::unsetenv("SLURM_JOB_END_TIME");
    ::setrlimit(RLIMIT_CPU, &before_);
  }
  void set_processor_time(rlim_t seconds) const {
    const rlimit limit{.rlim_cur = seconds, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_CPU, &limit);
  }
  rlimit before_{};
};

TEST_F(UsualTime, IsADay) {
  if (before_.rlim_max != RLIM_INFINITY)
    GTEST_SKIP() << "this shell limits processor time";
  EXPECT_EQ(usual_time(), Seconds{86400});
}

// Half a minute is left to print what is there; of short jobs a tenth.
TEST_F(UsualTime, EndsBeforeTheBatchJobDoes) {
  ::setenv("SLURM_JOB_END_TIME", std::to_string(std::time(nullptr) + 3600).c_str(), 1);
  EXPECT_NEAR(usual_time().value, 3600 - 30, 2);
  ::setenv("SLURM_JOB_END_TIME", std::to_string(std::time(nullptr) + 100).c_str(), 1);
  EXPECT_NEAR(usual_time().value, 90, 2);
}

TEST_F(UsualTime, AJobThatShouldHaveEndedSaysNothing) {
  const Seconds before = usual_time();
  ::setenv("SLURM_JOB_END_TIME", "1000", 1);
  EXPECT_EQ(usual_time(), before);
}

// The shell's limit was taken for one of the clock, which runs on while a process waits for others.
TEST_F(UsualTime, KnowsTheShellsLimitAsOneOfProcessorTime) {
  if (before_.rlim_max != RLIM_INFINITY)
    GTEST_SKIP() << "this shell limits processor time";
  EXPECT_FALSE(usual_processor_time());
  set_processor_time(1000);
  EXPECT_EQ(usual_processor_time(), Seconds{970});
  set_processor_time(10);
  EXPECT_EQ(usual_processor_time(), Seconds{9});
  EXPECT_EQ(usual_time(), Seconds{86400});
}

TEST(MemoryOfMachine, IsSome) {
  EXPECT_GT(memory_of_machine(), Bytes{64.0 * 1024 * 1024});
}

}  // namespace
}  // namespace stepcast
