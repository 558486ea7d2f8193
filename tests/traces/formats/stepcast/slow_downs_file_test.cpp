#include "traces/formats/stepcast/slow_downs_file.hpp"

#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

std::string error_of(const std::string& text) {
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / "slow_downs_file_test.csv";
  std::ofstream(file) << text;
  std::string error;
  try {
    read_slow_downs(file);
  } catch (const InputError& refused) {
    error = refused.what();
  }
  std::filesystem::remove(file);
  return error;
}

TEST(SlowDownsFile, IsReadAsItWasWritten) {
  const SlowDown::Recorded recorded{.steps = {{1, 1.25}, {0.75, 2}}, .origin = "a job of our own"};
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / "slow_downs_round_trip.csv";
  std::ofstream(file) << to_csv(recorded);
  const SlowDown::Recorded read = read_slow_downs(file);
  EXPECT_EQ(read.steps, recorded.steps);
  EXPECT_EQ(read.origin, recorded.origin);
  std::filesystem::remove(file);
}

TEST(SlowDownsFile, StagesOfRanksComeAlong) {
  const SlowDown::Recorded recorded{
      .steps = {{1, 1.25}, {0.75, 2}}, .origin = "a pipeline", .stages = {0, 1}};
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / "slow_downs_of_stages.csv";
  std::ofstream(file) << to_csv(recorded);
  EXPECT_EQ(read_slow_downs(file).steps, recorded.steps);
  EXPECT_EQ(read_slow_downs(file).stages, recorded.stages);
  std::filesystem::remove(file);
  EXPECT_NE(error_of("step,rank,stage,factor\n0,0,0,1\n1,0,1,1\n")
                .find(":3: stage: expected a stage below 65536, of a rank the same in all steps"),
            std::string::npos);
}

TEST(SlowDownsFile, WhatIsWrongIsToldWithItsLine) {
  EXPECT_NE(error_of("step,rank,factor\n0,0,-1\n").find(":2: factor: expected a factor above 0"),
            std::string::npos);
  EXPECT_NE(error_of("step,rank,factor\n0,0,1\n0,0,2\n").find(":3: rank: expected each rank once"),
            std::string::npos);
  EXPECT_NE(error_of("step,rank,factor\n0,0,1\n0,1,1\n1,0,1\n")
                .find("step 1: expected a row for each of ranks 0 to 1, as in step 0"),
            std::string::npos);
  EXPECT_NE(error_of("step,rank,factor\n0,2,1\n").find("ranks 0 to 0"), std::string::npos);
  EXPECT_NE(error_of("step,rank,factor\n").find("holds no step"), std::string::npos);
  EXPECT_NE(error_of("step,rank\n0,0\n").find("expected a column factor"), std::string::npos);
}

// Published of the same jobs: variation .02 (ST); .14 and .10 of two stages (SE).
TEST(SlowDownsFile, ShippedJobsVaryAsPublished) {
  for (const auto& [name, ranks, least, most] :
       {std::tuple{"bytedance-st", 8U, 0.015, 0.025}, std::tuple{"bytedance-se", 64U, 0.1, 0.14}}) {
    const SlowDown::Recorded recorded = load_slow_downs(name);
    double sum = 0, squares = 0, count = 0;
    for (const auto& step : recorded.steps) {
      ASSERT_EQ(step.size(), ranks);
      for (const double factor : step) {
        sum += factor;
        squares += factor * factor;
        ++count;
      }
    }
    const double mean = sum / count, deviation = std::sqrt(squares / count - mean * mean);
    EXPECT_NEAR(mean, 1, 1e-4);
    EXPECT_GT(deviation, least);
    EXPECT_LT(deviation, most);
  }
  EXPECT_THROW(load_slow_downs("bytedance-sx"), InputError);
}

}  // namespace
}  // namespace stepcast
