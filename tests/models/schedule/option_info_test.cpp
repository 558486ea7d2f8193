#include "models/schedule/option_info.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

std::string refusal(const OptionInfo& option, const std::string& text) {
  return input_error_of([&] { check_option(option, text); });
}

TEST(OptionInfo, EveryOptionOfEveryScheduleTakesItsDefault) {
  for (const ScheduleInfo& schedule : data_parallel_schedules())
    for (const OptionInfo& option : schedule.options)
      EXPECT_NO_THROW(check_option(option, option.default_value))
          << schedule.name << " " << option.name;
}

TEST(OptionInfo, AChoiceHasWordsAndANumberHasARange) {
  for (const ScheduleInfo& schedule : data_parallel_schedules())
    for (const OptionInfo& option : schedule.options) {
      const std::size_t least = option.kind == OptionKind::Choice ? 2 : 0;
      EXPECT_GE(option.words.size(), least) << schedule.name << " " << option.name;
      EXPECT_LE(option.range.least, option.range.most) << schedule.name << " " << option.name;
    }
}

TEST(OptionInfo, ASearchLeadsToANumberOfTheSameSchedule) {
  for (const ScheduleInfo& schedule : data_parallel_schedules())
    for (const OptionInfo& option : schedule.options) {
      if (!option.search)
        continue;
      const auto searched =
          std::ranges::find(schedule.options, option.search->option, &OptionInfo::name);
      ASSERT_NE(searched, schedule.options.end()) << schedule.name;
      EXPECT_NE(searched->kind, OptionKind::Choice) << schedule.name;
      EXPECT_TRUE(std::ranges::count(option.words, option.search->found) == 1) << schedule.name;
    }
}

TEST(OptionInfo, ASearchTriesWordsThatTheOptionTakes) {
  for (const ScheduleInfo& schedule : data_parallel_schedules())
    for (const OptionInfo& option : schedule.options)
      for (const std::string& word : option.alternatives)
        EXPECT_EQ(std::ranges::count(option.words, word), 1)
            << schedule.name << " " << option.name << " " << word;
}

TEST(OptionInfo, ARefusalSaysWhatWouldBeRight) {
  const OptionInfo part{.name = "part",
                        .default_value = "1",
                        .meaning = "",
                        .kind = OptionKind::Number,
                        .range = {.most = 1, .above_least = true}};
  EXPECT_EQ(refusal(part, "0"), "expected a number above 0 and at most 1, found \"0\"");
  EXPECT_EQ(refusal(part, "x"), "expected a number, found \"x\"");
  const OptionInfo repeats{.name = "repeats",
                           .default_value = "1",
                           .meaning = "",
                           .kind = OptionKind::Count,
                           .words = {"all"},
                           .range = kRepeats};
  EXPECT_NO_THROW(check_option(repeats, "all"));
  EXPECT_EQ(refusal(repeats, "1025"), "expected a whole number from 1 to 1024, found 1025");
  const OptionInfo word{
      .name = "word", .default_value = "on", .meaning = "", .words = {"on", "off"}};
  EXPECT_EQ(refusal(word, "offf"),
            "expected one of on, off, found \"offf\"; did you mean \"off\"?");
}

TEST(OptionInfo, AWordThatStandsForASearchIsNoValueOfAPlan) {
  const OptionInfo fusion{.name = "fusion",
                          .default_value = "buffer",
                          .meaning = "",
                          .words = {"buffer", "bo"},
                          .search = OptionSearch{"bo", "fusion_buffer", "buffer"}};
  EXPECT_EQ(refusal(fusion, "bo"), "bo must be resolved by tuning before the plan is built");
}

}  // namespace
}  // namespace stepcast
