#include <algorithm>

#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "models/schedule/passes.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

ScheduleInfo added(const std::string& name, std::uint32_t updates) {
  return {.name = name,
          .summary = "one of the caller's",
          .build = [updates](const Workload& workload, const Cluster& cluster,
                             const OptionReader& read) {
            Builder builder(read, workload, cluster);
            forward_pass(builder);
            backward_pass(builder);
            for (std::uint32_t i = 0; i < updates; ++i)
              builder.update();
            return std::move(builder).build();
          }};
}

std::size_t tasks_of(const std::string& name) {
  const Workload workload = examples::uniform_workload(2, {1}, {2}, 10);
  return build_plan(name, workload, examples::plain_cluster(2), {}).graph.size();
}

TEST(AddedSchedule, IsFoundByItsNameAndInNoList) {
  const std::size_t listed = data_parallel_schedules().size();
  add_schedule(added("mine", 1));
  EXPECT_EQ(tasks_of("mine"), 5U);
  EXPECT_EQ(data_parallel_schedules().size(), listed);
}

TEST(AddedSchedule, TakesThePlaceOfOneOfItsName) {
  add_schedule(added("mine-too", 1));
  add_schedule(added("mine-too", 3));
  EXPECT_EQ(tasks_of("mine-too"), 7U);
}

TEST(AddedSchedule, HasTheOptionsOfAllSchedules) {
  add_schedule(added("mine-three", 1));
  EXPECT_TRUE(effective_options(schedule_of("mine-three"), {}).contains("accumulation"));
}

// Its exchange serves the stages of a pipeline too: two updates for each of two stages, then five.
TEST(AddedSchedule, IsAnExchangeUnderPasses) {
  const Workload workload = examples::uniform_workload(4, {1}, {2}, 10);
  const auto updates = [&] {
    const Plan plan = build_plan("1f1b", workload, examples::plain_cluster(4),
                                 {{"exchange", "mine-four"}, {"pp", "2"}});
    return std::ranges::count(plan.graph.tasks(), TaskKind::Update, &Task::kind);
  };
  add_schedule(added("mine-four", 2));
  EXPECT_EQ(updates(), 2 * 2);
  add_schedule(added("mine-four", 5));
  EXPECT_EQ(updates(), 2 * 5);
}

TEST(AddedSchedule, TakesNoNameOfAListedOneAndNoIllOne) {
  EXPECT_NE(input_error_of([] {
              add_schedule(added(data_parallel_schedules()[0].name, 1));
            }).find("there is one of that name"),
            std::string::npos);
  for (const char* name : {"", "A", "a b", "a,b"})
    EXPECT_NE(input_error_of([&] { add_schedule(added(name, 1)); }).find("lower-case"),
              std::string::npos)
        << name;
}

}  // namespace
}  // namespace stepcast
