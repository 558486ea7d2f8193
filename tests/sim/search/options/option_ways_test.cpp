#include "sim/search/options/option_ways.hpp"

#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "models/schedule/period.hpp"
#include "sim/engine/steps.hpp"
#include "sim/forecast/scenario.hpp"
#include "sim/jobs/edits/planned_step.hpp"
#include "sim/search/options/timed_plans.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

/// Tensors of 64 KiB to 11 MiB on 16 GPUs.
Scenario few_tensors() {
  Scenario scenario = scenario_of({.workload = "resnet50-rtx2080ti-bs64",
                                   .cluster = "rtx2080ti-16x4-10gbe",
                                   .schedules = {"ps"}});
  scenario.cluster.nodes = 4;
  scenario.workload = {.name = "few"};
  for (std::size_t i = 0; i < 8; ++i)
    scenario.workload.layers.push_back(
        {.name = "layer" + std::to_string(i),
         .kind = "Linear",
         .forward = Seconds{0.004},
         .backward = Seconds{0.008},
         .parameters = {{"weight", 16'000 + 700'000 * (i * 7 % 5)}}});
  return scenario;
}

EditedStep searched(Scenario scenario, const ScheduleOptions& options = {}) {
  scenario.settings.schedule = options;
  EditedStep result;
  const ScheduledJob job = job_of(scenario, "ps");
  search_option_ways(job, planned(job), {}, result);
  return result;
}

double sum_of_gains(const EditedStep& result) {
  Seconds gains{};
  for (const AcceptedEdit& edit : result.accepted)
    gains += edit.gain;
  return gains.value;
}

// One way down from the order that promised most was all.
TEST(OptionWaysTest, NoOrderOfServersAloneEndsEarlier) {
  const Scenario scenario = few_tensors();
  const EditedStep found = searched(scenario);
  for (const char* order : {"arrival", "priority"})
    EXPECT_LE(found.step_after, searched(scenario, {{"order", order}}).step_after) << order;
  EXPECT_NEAR(sum_of_gains(found), (found.step_before - found.step_after).value, 1e-9);
}

// Simulating all came to 1,646.8 ms, by priority; arrival, which estimates rank 4 % behind it, is
// cut to less.
TEST(OptionWaysTest, Vgg16EndsNoLaterThanWhereAllWasSimulated) {
  const Scenario scenario = scenario_of(
      {.workload = "vgg16-rtx2080ti-bs32", .cluster = "rtx2080ti-16x4-10gbe", .schedules = {"ps"}});
  const EditedStep found = searched(scenario);
  EXPECT_LE(found.step_after.value, 1.6468);
  EXPECT_LE(found.simulated, 60U);
}

TEST(OptionWaysTest, WhatIsToldIsWhatThePlanTakes) {
  Scenario scenario = few_tensors();
  EditedStep found = searched(scenario);
  ASSERT_FALSE(found.accepted.empty());
  EXPECT_NEAR(step_time_of(planned(scenario, "ps").plan, scenario.cluster, scenario.engine).value,
              found.step_before.value, 1e-12);
  scenario.settings.schedule = found.options;
  const Plan plan = planned(scenario, "ps").plan;
  EXPECT_EQ(plan.memory.total(), found.memory_after);
  EXPECT_NEAR(step_time_of(plan, scenario.cluster, scenario.engine).value,
              found.accepted.front().step.value, 1e-12);
}

// The best plan was simulated by the search for options, and again as what edits begin with.
TEST(OptionWaysTest, APlanIsSimulatedOnce) {
  const Scenario scenario = few_tensors();
  const Plan plan = unrolled(planned(scenario, "ps").plan);
  const ScheduledJob job = job_of(scenario, "ps");
  TimedPlans plans(job);
  EXPECT_FALSE(plans.editable(plan).timed);
  EXPECT_EQ(plans.step_of(plan), step_time_of(plan, scenario.cluster, scenario.engine));
  EditableStep step = plans.editable(plan);
  ASSERT_TRUE(step.timed);
  EditedStep result;
  edit_step(std::move(step), {}, false, result);
  EXPECT_EQ(result.simulated, 0U);
  EXPECT_EQ(result.step_before, plans.step_of(plan));
}

TEST(OptionWaysTest, DescentsFromOneBeginSimulateOnce) {
  const Scenario scenario = few_tensors();
  const Plan plan = planned(scenario, "ps").plan;
  KnownSteps known;
  EditedStep first;
  EditedStep again;
  for (EditedStep* result : {&first, &again})
    descend_step(editable_step(plan, scenario.workload, scenario.cluster, scenario.engine),
                 LaneDescent::Halves, known, *result);
  EXPECT_EQ(first.step_after, again.step_after);
  EXPECT_GT(first.simulated, 1 + first.accepted.size());
  EXPECT_LE(again.simulated, 1 + again.accepted.size());
}

}  // namespace
}  // namespace stepcast
