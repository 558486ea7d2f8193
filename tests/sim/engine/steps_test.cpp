// Training steps that differ, put together to a period.
#include "sim/engine/steps.hpp"

#include <gtest/gtest.h>

#include "models/schedule/accumulation.hpp"
#include "models/schedule/builder.hpp"
#include "models/schedule/passes.hpp"
#include "models/schedule/period.hpp"
#include "models/schedule/plan_edit.hpp"
#include "sim/engine/repeats.hpp"
#include "sim/timeline/breakdown.hpp"
#include "sim/timeline/critical_path.hpp"
#include "sim/timeline/links.hpp"
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

using Order = std::vector<std::uint32_t>;

/// Every step written, by other means than unrolled().
Plan all_written(std::span<const Plan> kinds, const Order& order) {
  PlanEdit edit(kinds[order.front()]);
  for (const Plan& kind : kinds)
    edit.adopt(kind);
  for (std::size_t step = 0; step < order.size(); ++step) {
    if (step > 0)
      edit.go_on(kinds[order[step]]);
    for (TaskId id = 0; id < kinds[order[step]].graph.size(); ++id)
      edit.keep(id);
  }
  return std::move(edit).apply();
}

/// `count` times 1 behind a 0; every `every`th of them is a 2.
Order order_of(std::uint32_t count, std::uint32_t every = 0) {
  Order order = {0};
  for (std::uint32_t step = 1; step <= count; ++step)
    order.push_back(every > 0 && step % every == 0 ? 2 : 1);
  return order;
}

bool same_tasks(const Plan& a, const Plan& b) {
  const auto same = [](const Task& left, const Task& right) {
    return left.kind == right.kind && left.label == right.label && left.team == right.team &&
           left.stream == right.stream && left.phase == right.phase &&
           left.collective == right.collective && left.duration == right.duration;
  };
  return std::ranges::equal(a.graph.tasks(), b.graph.tasks(), same) &&
         a.graph.edges() == b.graph.edges();
}

TEST(RepeatedSteps, ALongRowIsWrittenThreeTimes) {
  const Cluster cluster = plain_cluster(4);
  const Plan kinds[] = {step_of(true, cluster), step_of(false, cluster), step_of(true, cluster)};
  const Plan plan = period_of(kinds, order_of(100));
  EXPECT_EQ(steps_of(plan), 101U);
  EXPECT_EQ(plan.graph.size(), 7U + 3 * 5U);
  ASSERT_EQ(repeats_of(plan).size(), 1U);
  EXPECT_EQ(repeats_of(plan)[0].times, 98U);
}

// Nine of 1 and a 2, twenty times: three rows of three of 1, the second seven times, and a 2.
TEST(RepeatedSteps, RowsHoldRows) {
  const Cluster cluster = plain_cluster(4);
  const Plan kinds[] = {step_of(true, cluster), step_of(false, cluster), step_of(true, cluster)};
  const Plan plan = period_of(kinds, order_of(200, 10));
  EXPECT_EQ(steps_of(plan), 201U);
  EXPECT_EQ(plan.graph.size(), 7U + 3 * (3 * 5U + 7U));
  const std::vector<RepeatedSteps> rows = repeats_of(plan);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].times, 7U);
  EXPECT_EQ(rows[0].rounds, 1U);
  EXPECT_EQ(rows[1].rounds, 18U);
  EXPECT_EQ(rows[2].times, 18U);
  EXPECT_EQ(rows[2].tasks(), 3 * 5U + 7U);
  const std::vector<std::uint32_t> times = times_of_tasks(plan);
  EXPECT_EQ(times[rows[1].first], 7U * 18);
}

TEST(RepeatedSteps, UnrolledThePlanHasEveryStep) {
  const Cluster cluster = plain_cluster(4);
  const Plan kinds[] = {step_of(true, cluster), step_of(false, cluster), step_of(true, cluster)};
  for (const Order& order : {order_of(100), order_of(200, 10), order_of(205, 10), order_of(3)}) {
    const Plan whole = unrolled(period_of(kinds, order));
    const Plan expected = all_written(kinds, order);
    EXPECT_EQ(whole.later_steps, expected.later_steps);
    EXPECT_TRUE(same_tasks(whole, expected));
  }
}

TEST(RepeatedSteps, MoreRowsMayBeWrittenOut) {
  const Cluster cluster = plain_cluster(4);
  const Plan kinds[] = {step_of(true, cluster), step_of(false, cluster), step_of(true, cluster)};
  for (const Order& order : {order_of(100), order_of(200, 10), order_of(205, 10)}) {
    const Plan plan = period_of(kinds, order);
    const Plan more = with_more_rows(plan, 2);
    EXPECT_GT(more.graph.size(), plan.graph.size());
    EXPECT_EQ(steps_of(more), steps_of(plan));
    EXPECT_TRUE(same_tasks(unrolled(more), unrolled(plan)));
  }
}

/// All that reports read off a timeline.
void expect_same(const Plan& plan, const Plan& whole, const Cluster& cluster,
                 const EngineOptions& options) {
  const Timeline jumped = simulate(plan, cluster, options);
  const Timeline all = simulate(whole, cluster, options);
  constexpr double kRounding = 1e-9;
  EXPECT_NEAR(jumped.mean_iteration_time() / all.mean_iteration_time(), 1, 1e-12);
  EXPECT_NEAR(jumped.worst_iteration_time / all.worst_iteration_time, 1, 1e-12);
  EXPECT_EQ(jumped.iterations, all.iterations);
  const auto times = step_times(plan, jumped, 0);
  const auto expected_times = step_times(whole, all, 0);
  ASSERT_EQ(times.size(), expected_times.size());
  for (std::size_t i = 0; i < times.size(); ++i)
    EXPECT_NEAR(times[i].value, expected_times[i].value, kRounding);
  const Breakdown parts = breakdown_of(plan, jumped, 0);
  const Breakdown expected = breakdown_of(whole, all, 0);
  EXPECT_NEAR(parts.forward.value, expected.forward.value, kRounding);
  EXPECT_NEAR(parts.idle.value, expected.idle.value, kRounding);
  EXPECT_NEAR(total_of(parts.exposed_communication).value,
              total_of(expected.exposed_communication).value, kRounding);
  EXPECT_NEAR(total_of(parts).value, total_of(expected).value, kRounding);
  const auto path = critical_path_of(plan, cluster, jumped, 0);
  const auto expected_path = critical_path_of(whole, cluster, all, 0);
  ASSERT_EQ(path.size(), expected_path.size());
  for (std::size_t i = 0; i < path.size(); ++i) {
    EXPECT_NEAR(path[i].begin.value, expected_path[i].begin.value, kRounding);
    EXPECT_NEAR(path[i].end.value, expected_path[i].end.value, kRounding);
    EXPECT_EQ(path[i].count, expected_path[i].count);
  }
  EXPECT_NEAR(sent_per_gpu(plan, cluster) / sent_per_gpu(whole, cluster), 1, 1e-12);
}

TEST(RepeatedSteps, JumpedOverTheyTakeWhatEveryStepTakes) {
  const Cluster cluster = plain_cluster(4);
  const Plan kinds[] = {step_of(true, cluster), step_of(false, cluster), step_of(true, cluster)};
  for (const Order& order : {order_of(100), order_of(200, 10), order_of(205, 10)})
    for (const Fidelity fidelity : {Fidelity::Analytic, Fidelity::Flow})
      expect_same(period_of(kinds, order), all_written(kinds, order), cluster,
                  {.fidelity = fidelity});
}

TEST(RepeatedSteps, TimesAloneAreThoseOfTheWholeSimulation) {
  const Cluster cluster = plain_cluster(4);
  const Plan kinds[] = {step_of(true, cluster), step_of(false, cluster)};
  const Plan plan = period_of(kinds, order_of(100));
  const Timeline whole = simulate(plan, cluster, {});
  const Timeline times = simulate_times(plan, cluster, {});
  EXPECT_EQ(times.iteration_time, whole.iteration_time);
  EXPECT_EQ(times.mean_excess, whole.mean_excess);
  EXPECT_EQ(times.begin, whole.begin);
  EXPECT_EQ(times.iterations, whole.iterations);
  EXPECT_TRUE(times.intervals[1].empty());
}

// Gradients of a step, 6 ms on the wire, are there before the update of the next step asks for
// them; what nobody waits for runs on into the step behind it.
Plan step_that_runs_on(bool refresh, Seconds compute, const Cluster& cluster) {
  Builder builder("test", kTwoLayers, cluster);
  const StreamId stream = builder.stream("all-reduce");
  forward_pass(builder);
  const TaskId end = backward_pass(builder).front();
  builder.all_reduce("late", {4e6}, {.stream = stream, .after = {end}});
  builder.compute("rest", refresh ? compute * 2.0 : compute);
  builder.update("update");
  return std::move(builder).build();
}

TEST(RepeatedSteps, CommunicationMayRunOnIntoTheStepBehind) {
  const Cluster cluster = plain_cluster(4);
  const Plan kinds[] = {step_that_runs_on(true, {1e-3}, cluster),
                        step_that_runs_on(false, {1e-3}, cluster)};
  expect_same(period_of(kinds, order_of(60)), all_written(kinds, order_of(60)), cluster, {});
}

// A step computes for 6 ms and its communication takes 9: each is further behind.
TEST(RepeatedSteps, ThatFallBehindAreSimulatedOneByOne) {
  const Cluster cluster = plain_cluster(4);
  const auto step = [&](const char* name) {
    Builder builder("test", kTwoLayers, cluster);
    const StreamId stream = builder.stream("all-reduce");
    forward_pass(builder);
    const TaskId end = backward_pass(builder).front();
    builder.all_reduce(name, {6e6}, {.stream = stream, .after = {end}});
    return std::move(builder).build();
  };
  const Plan kinds[] = {step("first"), step("others")};
  const Plan plan = period_of(kinds, order_of(60));
  const Plan whole = all_written(kinds, order_of(60));
  const EngineOptions options{.iterations = 2};
  EXPECT_THROW(simulate(plan, cluster, options), StepsDiffer);
  Plan own = plan;
  const Timeline timeline = simulate_steps(own, cluster, options);
  EXPECT_EQ(own.later_steps, whole.later_steps);
  EXPECT_EQ(step_time_of(plan, cluster, options),
            mean_step_time(whole, simulate(whole, cluster, options)));
  EXPECT_EQ(timeline.iterations, 2U);
}

}  // namespace
}  // namespace stepcast
