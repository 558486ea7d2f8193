// Training steps that differ, put together to a period.
#include "sim/engine/steps.hpp"

#include <gtest/gtest.h>

#include "models/schedule/accumulation.hpp"
#include "models/schedule/builder.hpp"
#include "models/schedule/passes.hpp"
#include "models/schedule/period.hpp"
#include "tests/support/examples.hpp"

namespace stepcast {
namespace {

using examples::plain_cluster;
using examples::uniform_workload;

// FF 2 ms, BP 4 ms.
const Workload kTwoLayers = uniform_workload(2, {1e-3}, {2e-3}, 1'000'000);

// A step of 6 ms; with `refresh`, another 9 ms of compute and an all-reduce of 4 MB, 6 ms on four
// nodes at 1 GB/s, for which the update waits.
Plan step_of(bool refresh, const Cluster& cluster) {
  Builder builder("test", kTwoLayers, cluster);
  builder.stream("all-reduce");
  forward_pass(builder);
  const TaskId end = backward_pass(builder).front();
  if (refresh) {
    const TaskId refreshed = builder.compute("refresh", {9e-3});
    const TaskId reduced = builder.all_reduce("threshold", {4e6});
    builder.after(reduced, {end, refreshed});
    builder.after(builder.update("update"), {reduced});
  } else {
    builder.update("update");
  }
  return std::move(builder).build();
}

Plan period_of_four(const Cluster& cluster) {
  const Plan kinds[] = {step_of(true, cluster), step_of(false, cluster)};
  const std::uint32_t order[] = {0, 1, 1, 1};
  return period_of(kinds, order);
}

// Steps of 21, 6, 6 and 6 ms.
TEST(Period, StepsTakeTheirOwnTimesAndTheMeanIsReported) {
  const Cluster cluster = plain_cluster(4);
  const Plan plan = period_of_four(cluster);
  const Timeline timeline = simulate(plan, cluster, {});
  EXPECT_EQ(steps_of(plan), 4U);
  const std::vector<Seconds> times = step_times(plan, timeline, 0);
  ASSERT_EQ(times.size(), 4U);
  EXPECT_NEAR(times[0].value, 0.021, 1e-12);
  for (std::size_t step = 1; step < 4; ++step)
    EXPECT_NEAR(times[step].value, 0.006, 1e-12);
  EXPECT_NEAR(mean_step_time(plan, timeline).value, (0.021 + 3 * 0.006) / 4, 1e-12);
}

TEST(Period, OneStepIsThePlanItself) {
  const Cluster cluster = plain_cluster(4);
  const Plan kinds[] = {step_of(true, cluster)};
  const std::uint32_t order[] = {0};
  const Plan plan = period_of(kinds, order);
  EXPECT_EQ(steps_of(plan), 1U);
  EXPECT_EQ(plan.labels, kinds[0].labels);
  EXPECT_NEAR(step_time_of(plan, cluster, {}).value, 0.021, 1e-12);
}

TEST(Period, KindsShareTheirLists) {
  const Plan plan = period_of_four(plain_cluster(4));
  EXPECT_EQ(plan.collectives.size(), 1U);
  EXPECT_EQ(plan.teams.size(), 1U);
  EXPECT_EQ(plan.graph.size(), 7U + 3 * 5U);
}

// A second pass, 6 ms, in each of the four steps.
TEST(Period, AccumulationAddsItsPassesToEveryStep) {
  const Cluster cluster = plain_cluster(4);
  const Plan plan = with_accumulation(period_of_four(cluster), kTwoLayers, 2);
  EXPECT_EQ(plan.summary.passes, 2U);
  const std::vector<Seconds> times = step_times(plan, simulate(plan, cluster, {}), 0);
  ASSERT_EQ(times.size(), 4U);
  EXPECT_NEAR(times[0].value, 0.027, 1e-12);
  EXPECT_NEAR(times[3].value, 0.012, 1e-12);
}

}  // namespace
}  // namespace stepcast
