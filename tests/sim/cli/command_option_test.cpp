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
  std::vector<double> numbers;
  EXPECT_TRUE(is_flag(&flag));
  EXPECT_FALSE(is_flag(&text));
  EXPECT_FALSE(is_list(&text));
  EXPECT_TRUE(is_list(&names));
  EXPECT_TRUE(is_list(&numbers));
}

}  // namespace
}  // namespace stepcast
