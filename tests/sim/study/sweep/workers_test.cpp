#include "sim/study/sweep/workers.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "models/base/error.hpp"
#include "tests/support/input_error.hpp"

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

TEST(Workers, AWorkerWithMoreToSayEndsWhenNobodyListens) {
  // Far more than a pipe holds, from both: each would wait for ever if anybody else could read it.
  const auto job = [](std::uint32_t) { return std::string(1'000'000, 'x'); };
  const auto fail = [] { throw std::runtime_error("enough"); };
  EXPECT_THROW(run_on_workers(100, 2, job, fail), std::runtime_error);
}

TEST(Workers, AProcessThatDiesIsAnError) {
  const auto job = [](std::uint32_t number) -> std::string {
    if (number == 1)
      ::_exit(0);
    return "";
  };
  EXPECT_THROW(run_on_workers(3, 2, job, nothing), std::runtime_error);
}

TEST(Workers, AWorkerDoesOneJobAfterTheOther) {
  int runs = 0;
  const auto results = run_on_workers(
      3, 1, [&](std::uint32_t) { return std::to_string(++runs); }, nothing);
  EXPECT_EQ(results, (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(runs, 0);  // here: the worker counted in a memory of its own
}

TEST(Workers, NoJobBeginsAfterAFailure) {
  const std::string file = testing::TempDir() + "stepcast-jobs-begun";
  std::remove(file.c_str());
  const auto job = [&](std::uint32_t number) -> std::string {
    std::ofstream(file, std::ios::app) << 'x';
    throw InputError(std::to_string(number));
  };
  EXPECT_EQ(input_error_of([&] { run_on_workers(1000, 1, job, nothing); }), "0");
  EXPECT_EQ(std::filesystem::file_size(file), 1U);
  std::remove(file.c_str());
}

}  // namespace
}  // namespace stepcast
