#include "models/base/at_once.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace stepcast {
namespace {

TEST(AtOnce, EveryNumberIsWorkedOnOnce) {
  std::vector<int> times(1000);
  for_each_at_once(times.size(), [&](std::size_t number) { ++times[number]; });
  EXPECT_EQ(times, std::vector<int>(times.size(), 1));
}

TEST(AtOnce, NothingToDoIsNoFault) {
  for_each_at_once(0, [](std::size_t) { FAIL(); });
}

TEST(AtOnce, ThrowsWhatTheFirstByNumberThrewWhenAllAreDone) {
  std::vector<int> times(50);
  const auto work = [&](std::size_t number) {
    ++times[number];
    if (number % 20 == 7)
      throw std::runtime_error(std::to_string(number));
  };
  try {
    for_each_at_once(times.size(), work);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "7");
  }
  EXPECT_EQ(times, std::vector<int>(times.size(), 1));
}

}  // namespace
}  // namespace stepcast
