#include "sim/cli/command_option.hpp"

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

CommandOption option_of(const std::string& name, OptionTarget target) {
  return {.name = name, .value = "V", .target = target, .meaning = ""};
}

TEST(CommandOption, AListTakesItsValuesOnceInTheirOrderAndForgetsItsDefault) {
  std::vector<Bytes> sizes{Bytes{1}};
  assign(option_of("--size", &sizes), {"2KiB,1KiB", "2048B,4KiB"});
  EXPECT_EQ(sizes, (std::vector<Bytes>{Bytes{2048}, Bytes{1024}, Bytes{4096}}));
}

TEST(CommandOption, TextsOfARepeatedOptionAreNotSplit) {
  std::vector<std::string> settings;
  assign(option_of("--set", &settings), {"a=1,2", "a=1,2"});
  EXPECT_EQ(settings, (std::vector<std::string>{"a=1,2", "a=1,2"}));
}

TEST(CommandOption, AValueGivenTwiceIsTakenOnceAndSaidToBe) {
  CommaList names;
  testing::internal::CaptureStderr();
  assign(option_of("--schedules", &names), {"dear,ddp,dear", "dear"});
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "stepcast: --schedules: \"dear\" given twice, taken once\n");
  EXPECT_EQ(names.items, (std::vector<std::string>{"dear", "ddp"}));
}

TEST(CommandOption, APathInAListMayHoldSpaces) {
  CommaList names;
  assign(option_of("--clusters", &names), {"my clusters/one.json,two"});
  EXPECT_EQ(names.items, (std::vector<std::string>{"my clusters/one.json", "two"}));
}

// Tables print "25 MiB" and "1.15 GB/s"; a comma is another value's.
TEST(CommandOption, AListTakesSizesAsTheyArePrinted) {
  std::vector<Bytes> sizes;
  assign(option_of("--size", &sizes), {"25 MiB,1 KiB", "65536"});
  EXPECT_EQ(sizes, (std::vector<Bytes>{Bytes{26214400}, Bytes{1024}, Bytes{65536}}));
  std::optional<BytesPerSecond> rate;
  assign(option_of("--bandwidth", &rate), {"1.15 GB/s"});
  EXPECT_EQ(rate, BytesPerSecond{1.15e9});
  std::optional<Bytes> one;
  assign(option_of("--bucket", &one), {"1 KiB"});
  EXPECT_EQ(one, Bytes{1024});
  EXPECT_EQ(input_error_of([&] { assign(option_of("--size", &sizes), {"25 MiB 1 KiB"}); }),
            "--size: lists take commas, as in 25MiB,1KiB; found \"25 MiB 1 KiB\"");
}

// 65,536 would be sizes of 65 and 536 bytes, 1,024 one node and 24.
TEST(CommandOption, ANumberWithACommaBetweenItsThousandsIsNoList) {
  std::vector<Bytes> sizes;
  std::vector<std::uint32_t> counts;
  const std::string found =
      "commas separate values here: expected numbers without any between "
      "thousands, found ";
  EXPECT_EQ(input_error_of([&] { assign(option_of("--size", &sizes), {"65,536"}); }),
            "--size: " + found + "\"65,536\"");
  EXPECT_EQ(input_error_of([&] { assign(option_of("--nodes", &counts), {"1,024"}); }),
            "--nodes: " + found + "\"1,024\"");
  assign(option_of("--nodes", &counts), {"256,512"});
  EXPECT_EQ(counts, (std::vector<std::uint32_t>{256, 512}));
}

TEST(CommandOption, ErrorsBeginWithTheLongNameOfTheOption) {
  std::string file;
  EXPECT_EQ(input_error_of([&] { assign(option_of("-o,--output", &file), {""}); }),
            "--output: expected a value, found \"\"");
  std::vector<std::uint32_t> counts;
  EXPECT_EQ(input_error_of([&] { assign(option_of("--nodes", &counts), {"1,,2"}); }),
            "--nodes: expected values separated by single commas, found \"1,,2\"");
  EXPECT_EQ(input_error_of([&] { assign(option_of("--nodes", &counts), {"1,0"}); }),
            "--nodes: expected a whole number from 1 on, found \"0\"");
}

TEST(CommandOption, ListsAndFlagsAreToldByTheirTargets) {
  bool flag = false;
  std::string text;
  CommaList names;
  std::vector<std::uint32_t> numbers;
  EXPECT_TRUE(is_flag(&flag));
  EXPECT_FALSE(is_flag(&text));
  EXPECT_FALSE(is_list(&text));
  EXPECT_TRUE(is_list(&names));
  EXPECT_TRUE(is_list(&numbers));
}

}  // namespace
}  // namespace stepcast
