#include "sim/cli/study/part_file.hpp"

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

TEST(PartFile, AShardIsANumberAndHowManyThereAre) {
  EXPECT_EQ(parse_shard("2/8").number, 2U);
  EXPECT_EQ(parse_shard("2/8").of, 8U);
  for (const char* text : {"", "3", "/", "0/2", "3/2", "1/0", "-1/2", "1/2/3", "a/b", "1/9999999"})
    EXPECT_NE(input_error_of([&] { parse_shard(text); }).find("--shard: expected a number"),
              std::string::npos)
        << text;
}

TEST(PartFile, ShardsShareOutEveryCombinationOnce) {
  Sweep sweep;
  sweep.combinations.resize(10);
  std::vector<int> taken(10);
  for (std::uint32_t number = 1; number <= 3; ++number)
    for (const std::uint32_t place : shard_of(sweep, {.number = number, .of = 3}).places)
      ++taken[place];
  EXPECT_EQ(taken, std::vector<int>(10, 1));
  EXPECT_TRUE(shard_of(sweep, {.number = 11, .of = 11}).places.empty());
}

}  // namespace
}  // namespace stepcast
