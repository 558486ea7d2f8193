#include <algorithm>

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/schedule/list/registry.hpp"
#include "models/schedule/model_parallel/schedules.hpp"

namespace stepcast {
namespace {

TEST(PipelineOptions, TakeTheirDefaultsAndWhatSearchesTry) {
  for (const ScheduleInfo& pipeline : partitioned_schedules())
    for (const OptionInfo& option : pipeline.options) {
      EXPECT_NO_THROW(check_option(option, option.default_value)) << option.name;
      for (const std::string& word : option.alternatives)
        EXPECT_EQ(std::ranges::count(option.words, word), 1)
            << pipeline.name << " " << option.name << " " << word;
    }
}

TEST(PipelineOptions, TextsAreReadByTheirSchedule) {
  for (const ScheduleInfo& pipeline : partitioned_schedules()) {
    const auto partition = std::ranges::find(pipeline.options, "partition", &OptionInfo::name);
    ASSERT_NE(partition, pipeline.options.end()) << pipeline.name;
    EXPECT_NO_THROW(check_option(*partition, "8,8,9,7"));
    EXPECT_THROW(parse_option(*partition, "8,8,9,7"), InputError);
  }
}

}  // namespace
}  // namespace stepcast
