#include "models/schedule/plan_edit.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/schedule/accumulation.hpp"
#include "models/schedule/builder.hpp"
#include "tests/support/examples.hpp"

namespace stepcast {
namespace {

using Edges = std::vector<TaskGraph::Edge>;

const Workload kWorkload = examples::uniform_workload(1, {1e-3}, {2e-3}, 1000);
const Cluster kCluster = examples::plain_cluster(2);

/// a -> b -> c, the second step begins at c, c leads to the next a and to the b after that, and any
/// one predecessor is enough for b.
Plan chain() {
  Builder builder("chain", kWorkload, kCluster);
  const TaskId a = builder.compute("work", "a", {1});
  const TaskId b = builder.compute("rest", "b", {2}, {.after = {a}});
  builder.end_step();
  const TaskId c = builder.compute("work", "c", {3}, {.after = {b}});
  builder.next_after(a, {c});
  builder.later_after(b, c, 2);
  builder.needs(b, 1);
  return std::move(builder).build();
}

Seconds duration_of(const Plan& plan, TaskId id) {
  return plan.graph.task(id).duration;
}

TEST(PlanEdit, KeepingEverythingKeepsThePlan) {
  const Plan plan = chain();
  PlanEdit edit(plan);
  for (TaskId id = 0; id < 3; ++id)
    edit.keep(id);
  EXPECT_TRUE(same(std::move(edit).apply(), plan));
}

TEST(PlanEdit, WhatIsInsertedMovesWhatFollows) {
  const Plan plan = chain();
  PlanEdit edit(plan);
  edit.keep(0);
  edit.insert({.duration = {9}});
  edit.keep(1);
  edit.keep(2);
  const Plan edited = std::move(edit).apply();
  EXPECT_EQ(duration_of(edited, 1), Seconds{9});
  EXPECT_EQ(edited.graph.edges(), (Edges{{0, 2}, {2, 3}}));
  EXPECT_EQ(edited.next, (Edges{{3, 0}}));
  EXPECT_TRUE(same(edited.later, std::vector<LaterEdge>{{3, 2, 2}}));
  EXPECT_TRUE(same(edited.quorums, std::vector<Quorum>{{2, 1}}));
  EXPECT_EQ(edited.later_steps, std::vector<TaskId>{3});
}

TEST(PlanEdit, WhatWaitedForARemovedTaskWaitsForItsPredecessors) {
  const Plan plan = chain();
  PlanEdit edit(plan);
  edit.keep(0);
  edit.keep(2);
  const Plan without_middle = std::move(edit).apply();
  EXPECT_EQ(without_middle.graph.edges(), (Edges{{0, 1}}));
  EXPECT_TRUE(same(without_middle.later, std::vector<LaterEdge>{{1, 1, 2}}));
  EXPECT_TRUE(without_middle.quorums.empty());
  PlanEdit edit_end(plan);
  edit_end.keep(0);
  edit_end.keep(1);
  const Plan without_end = std::move(edit_end).apply();
  EXPECT_EQ(without_end.next, (Edges{{1, 0}}));
  EXPECT_TRUE(same(without_end.later, std::vector<LaterEdge>{{1, 1, 2}}));
}

TEST(PlanEdit, AReplacementKeepsTheEdges) {
  const Plan plan = chain();
  PlanEdit edit(plan);
  edit.keep(0);
  edit.replace(1, {.duration = {7}});
  edit.keep(2);
  const Plan edited = std::move(edit).apply();
  EXPECT_EQ(duration_of(edited, 1), Seconds{7});
  EXPECT_EQ(edited.graph.edges(), plan.graph.edges());
}

TEST(PlanEdit, AnotherPlanFollowsAsAStepWithItsOwnNames) {
  const Plan plan = chain();
  const Plan other = [] {
    Builder builder("other", kWorkload, kCluster);
    builder.compute("rest", "x", {4});
    builder.compute("new", "y", {5});
    return std::move(builder).build();
  }();
  PlanEdit edit(plan);
  for (TaskId id = 0; id < 3; ++id)
    edit.keep(id);
  edit.go_on(other);
  edit.keep(0);
  edit.keep(1);
  const Plan joined = std::move(edit).apply();
  EXPECT_EQ(joined.labels[joined.graph.task(4).label], "new of y");
  EXPECT_EQ(phase_of(joined, joined.graph.task(3)), "rest");
  EXPECT_EQ(phase_of(joined, joined.graph.task(4)), "new");
  EXPECT_EQ(std::ranges::count(joined.phases, "rest"), 1);
  EXPECT_EQ(joined.later_steps, (std::vector<TaskId>{2, 3}));
}

// Gaps of the host, which no communication slows down.
TEST(PlanEdit, AddedPassesKeepWhatIsTheHosts) {
  Workload workload = kWorkload;
  workload.layers.front().kind = kHostGap;
  Builder builder("passes", workload, kCluster);
  builder.forward(0, {});
  builder.backward(0, {});
  const Plan plan = with_accumulation(std::move(builder).build(), workload, 3);
  EXPECT_EQ(std::ranges::count(plan.graph.tasks(), true, &Task::on_host), 6);
}

// Two tasks and 2 x 600,000 added ones.
TEST(PlanEdit, MorePassesThanAPlanHoldsAreRefusedWithTheirNumber) {
  Builder builder("passes", kWorkload, kCluster);
  builder.forward(0, {});
  builder.backward(0, {});
  const Plan plan = std::move(builder).build();
  try {
    with_accumulation(plan, kWorkload, 600'001);
    FAIL() << "not refused";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "passes: option accumulation: expected a plan of at most 1000000 tasks, found "
                 "1200002 (600001 passes of 1 layers in 1 steps that differ)");
  }
}

}  // namespace
}  // namespace stepcast
