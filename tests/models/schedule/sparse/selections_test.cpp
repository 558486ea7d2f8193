#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "models/schedule/list/presets.hpp"
#include "models/schedule/list/registry.hpp"

namespace stepcast {
namespace {

std::map<std::string, std::string> selections_of(const std::vector<ScheduleInfo>& schedules) {
  std::map<std::string, std::string> selections;
  for (const ScheduleInfo& schedule : schedules)
    for (const OptionInfo& option : schedule.options)
      if (option.name == "selection")
        selections[schedule.name] = option.default_value;
  return selections;
}

// Sorting made topk-allgather several times as slow as TopKA2A's MSTopK made TopKA2A, whatever they
// send: a comparison with defaults compared the two selections.
TEST(Selections, SchedulesThatAreAnExchangeShareOneByDefault) {
  std::map<std::string, std::string> selections = selections_of(data_parallel_schedules());
  EXPECT_EQ(selections.extract("dgc").mapped(), "sampled");
  EXPECT_EQ(selections.extract("sidco").mapped(), "fitted");
  EXPECT_EQ(selections.size(), 7U);
  for (const auto& [schedule, selection] : selections)
    EXPECT_EQ(selection, "search") << schedule;
}

TEST(Selections, PresetsHaveThoseOfTheirPapers) {
  const std::map<std::string, std::string> expected{
      {"topka2a-icpp24", "search"}, {"gtopk-icdcs19", "exact"},  {"topk-icdcs19", "exact"},
      {"ok-topk-ppopp22", "exact"}, {"omgs-infocom20", "exact"}, {"dct-kdd21", "exact"},
      {"dgc-iclr18", "sampled"},    {"sidco-mlsys21", "fitted"}};
  EXPECT_EQ(selections_of(preset_schedules()), expected);
  for (const auto& [name, selection] : expected)
    EXPECT_TRUE(find_preset(name)->options.contains("selection")) << name;
}

}  // namespace
}  // namespace stepcast
