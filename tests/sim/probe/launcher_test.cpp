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

TEST(GpuChoice, SaysWhatIsMissingAndWhatStillWorks) {
  const std::string works = "; --dry-run, and stepcast validate on recorded results, work";
  EXPECT_EQ(missing_gpus({}, std::nullopt), "no GPU" + works);
  EXPECT_EQ(missing_gpus({.problem = "no NVIDIA driver"}, std::nullopt),
            "no NVIDIA driver" + works);
}

TEST(GpuChoice, RefusesMoreGpusThanThereAre) {
  EXPECT_EQ(missing_gpus({.gpus = 1}, 2),
            "--gpus 2: this machine has 1 GPU; without --gpus all are used");
  EXPECT_EQ(missing_gpus({.gpus = 2}, 2), "");
  EXPECT_EQ(missing_gpus({.gpus = 2}, std::nullopt), "");
}

TEST(GpuChoice, GivesEachRankOfANodeAGpuOfItsOwn) {
  const GpuView third{.gpus = 4, .ranks = 8, .rank_on_node = 3};
  EXPECT_EQ(missing_gpus(third, std::nullopt), "");
  EXPECT_EQ(first_gpu(third), 3U);
  EXPECT_EQ(missing_gpus({.gpus = 2, .ranks = 8, .rank_on_node = 3}, std::nullopt),
            "more MPI ranks on a node than its 2 GPUs; start one for each GPU");
  EXPECT_EQ(missing_gpus(third, 4), "--gpus 4: MPI started 8 ranks, one for each GPU");
}

TEST(GpuChoice, TakesTheOnlyGpuThatALauncherShowsARank) {
  const GpuView alone{.gpus = 1, .ranks = 8, .rank_on_node = 3};
  EXPECT_EQ(missing_gpus(alone, std::nullopt), "");
  EXPECT_EQ(first_gpu(alone), 0U);
}

}  // namespace
}  // namespace stepcast
