#include "models/schedule/list/presets.hpp"

#include <set>

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/schedule/list/registry.hpp"
#include "tests/support/examples.hpp"

namespace stepcast {
namespace {

TEST(Presets, EachIsAScheduleWithOtherDefaults) {
  for (const Preset& preset : all_presets()) {
    const ScheduleInfo& made = schedule_of(preset.name);
    const ScheduleInfo& original = schedule_of(preset.schedule);
    EXPECT_EQ(made.second_order, original.second_order) << preset.name;
    EXPECT_EQ(made.compressed, original.compressed) << preset.name;
    ScheduleOptions expected = effective_options(original, preset.options);
    EXPECT_EQ(effective_options(made, {}), expected);
  }
}

TEST(Presets, NamesAreOfNoSchedule) {
  std::set<std::string> names;
  for (const ScheduleInfo& schedule : data_parallel_schedules())
    names.insert(schedule.name);
  for (const Preset& preset : all_presets())
    EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
}

// Its values are legal, but for a word that is resolved by tuning before a plan is built.
TEST(Presets, EachBuildsAPlan) {
  Workload workload = examples::uniform_workload(3, {1e-3}, {2e-3}, 1'000);
  workload.compression = CompressionCosts{.memory_bandwidth = BytesPerSecond{1e11}};
  const Cluster cluster = examples::plain_cluster(4, 2);
  for (const Preset& preset : all_presets()) {
    ScheduleOptions options;
    for (const OptionInfo& option : schedule_of(preset.name).options)
      if (option.search && option.search->word == option.default_value)
        options[option.name] = "buffer";
    const ScheduleInfo& original = schedule_of(preset.schedule);
    if (original.compressed || original.second_order)
      continue;  // they need costs of the device; golden cases run them
    const Plan plan = build_plan(preset.name, workload, cluster, options);
    EXPECT_EQ(plan.schedule, preset.name);
    EXPECT_GT(plan.graph.size(), 0U) << preset.name;
  }
}

TEST(Presets, AnUnknownOneIsNamedWithTheNearest) {
  try {
    require_preset("dear-icdcs24");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("dear-icdcs23"), std::string::npos);
  }
}

}  // namespace
}  // namespace stepcast
