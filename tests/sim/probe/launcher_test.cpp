#include "sim/probe/launcher.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace stepcast {
namespace {

/// Each test starts without any.
class LauncherVariables : public testing::Test {
 protected:
  LauncherVariables() { clear(); }
  ~LauncherVariables() override { clear(); }

  static void clear() {
    for (const char* variable :
         {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMI_SIZE", "PMIX_RANK", "SLURM_NTASKS"})
      ::unsetenv(variable);
  }
};

TEST_F(LauncherVariables, IsNoneWithoutItsVariables) {
  EXPECT_EQ(launcher_of_environment().ranks, 1U);
}

TEST_F(LauncherVariables, SaysItsRankAmongSoMany) {
  ::setenv("PMI_RANK", "3", 1);
  ::setenv("PMI_SIZE", "8", 1);
  EXPECT_EQ(launcher_of_environment().rank, 3U);
  EXPECT_EQ(launcher_of_environment().ranks, 8U);
}

TEST_F(LauncherVariables, MayNotSayHowManyThereAre) {
  ::setenv("PMIX_RANK", "1", 1);
  EXPECT_EQ(launcher_of_environment().ranks, 0U);
}

}  // namespace
}  // namespace stepcast
