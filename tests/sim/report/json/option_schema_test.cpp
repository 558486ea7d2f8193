#include "sim/report/json/option_schema.hpp"

#include <algorithm>
#include <regex>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/schedule/registry.hpp"

namespace stepcast {
namespace {

using nlohmann::json;

bool is_among(const json& words, const std::string& text) {
  return std::ranges::find(words, json(text)) != words.end();
}

bool matches(const json& rule, const std::string& text) {
  if (rule.contains("enum"))
    return is_among(rule["enum"], text);
  return std::regex_match(text, std::regex(rule["pattern"].get<std::string>()));
}

bool is_valid(const json& option, const std::string& text) {
  if (!option.contains("anyOf"))
    return matches(option, text);
  return std::ranges::any_of(option["anyOf"],
                             [&](const json& rule) { return matches(rule, text); });
}

TEST(OptionSchema, TakesEveryDefaultAndNoOtherWords) {
  const json schema = json::parse(option_schema());
  for (const ScheduleInfo& schedule : all_schedules())
    for (const OptionInfo& option : schedule.options) {
      const json& rule = schema["properties"][schedule.name]["properties"][option.name];
      EXPECT_TRUE(is_valid(rule, option.default_value)) << schedule.name << " " << option.name;
      EXPECT_FALSE(is_valid(rule, "nonsense")) << schedule.name << " " << option.name;
    }
}

}  // namespace
}  // namespace stepcast
