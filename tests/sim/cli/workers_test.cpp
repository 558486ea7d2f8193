#include "sim/cli/workers.hpp"

#include <cstdlib>

#include <gtest/gtest.h>
#include <unistd.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

void nothing() {}

TEST(Workers, ResultsComeInTheOrderOfTheJobs) {
  // The first jobs take longest; results larger than a pipe holds must not block anybody.
  const auto job = [](std::uint32_t number) {
    ::usleep(number < 4 ? 20000 : 0);
    return std::string(100000 * number, static_cast<char>('a' + number));
  };
  std::uint32_t finished = 0;
  const auto results = run_on_workers(9, 4, job, [&] { ++finished; });
  ASSERT_EQ(results.size(), 9U);
  for (std::uint32_t i = 0; i < 9; ++i)
    EXPECT_EQ(results[i], job(i)) << i;
  EXPECT_EQ(finished, 9U);
}

TEST(Workers, NoJobsGiveNoResults) {
  EXPECT_TRUE(run_on_workers(
                  0, 4, [](std::uint32_t) { return ""; }, nothing)
                  .empty());
}

TEST(Workers, TheFirstFailureByNumberIsThrownThoughALaterOneIsFaster) {
  const auto job = [](std::uint32_t number) -> std::string {
    if (number == 1) {
      ::usleep(50000);
      throw SimulationError("one");
    }
    if (number == 2)
      throw InputError("two");
    return "";
  };
  for (const std::uint32_t workers : {1U, 2U, 8U}) {
    try {
      run_on_workers(8, workers, job, nothing);
      FAIL();
    } catch (const SimulationError& error) {
      EXPECT_STREQ(error.what(), "one");
    }
  }
}

TEST(Workers, AProcessThatDiesIsAnError) {
  const auto job = [](std::uint32_t number) -> std::string {
    if (number == 1)
      ::_exit(0);
    return "";
  };
  EXPECT_THROW(run_on_workers(3, 2, job, nothing), std::runtime_error);
}

TEST(Workers, WhatAJobChangesStaysInItsProcess) {
  int runs = 0;
  const auto results = run_on_workers(
      3, 1, [&](std::uint32_t) { return std::to_string(++runs); }, nothing);
  EXPECT_EQ(results, (std::vector<std::string>{"1", "1", "1"}));
  EXPECT_EQ(runs, 0);
}

}  // namespace
}  // namespace stepcast
