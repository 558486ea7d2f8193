#include <set>

#include <gtest/gtest.h>

#include "models/network/layout.hpp"
#include "models/schedule/builder.hpp"
#include "sim/engine/engine.hpp"
#include "sim/engine/folding/folding.hpp"
#include "tests/support/hybrid_plan.hpp"

namespace stepcast {
namespace {

using examples::HybridShape;

std::size_t classes_of(const HybridShape& shape, const std::map<Rank, double>& stragglers,
                       Fidelity fidelity = Fidelity::Analytic) {
  const Cluster cluster = examples::hybrid_cluster(shape);
  return simulate(examples::hybrid_plan(cluster, shape), cluster,
                  {.fidelity = fidelity, .stragglers = stragglers})
      .classes.size();
}

// 1,024 ranks in 16 stages; one layer a stage and few micro-batches, since roles do not depend on
// them.
constexpr HybridShape kBig{.layers = 16, .micro_batches = 2};

TEST(Roles, RanksOfAStageAreAlike) {
  EXPECT_EQ(classes_of(kBig, {}), 16U);
  EXPECT_EQ(classes_of(kBig, {}, Fidelity::Flow), 16U);
}

// In each stage: the straggler's line of the pipeline, those of its tensor groups (same data
// coordinate), those of its data groups (same tensor coordinate), and the rest.
TEST(Roles, AStragglerSplitsOnlyWhatItTouches) {
  const Rank straggler = 3 + 8 * (5 + 8 * 7);
  EXPECT_EQ(classes_of(kBig, {{straggler, 1.5}}), 4U * 16U);
}

// What flows might meet does not come about: alike groups end together, and the folding holds.
TEST(Roles, AtFlowAStragglerSplitsNoMoreThanAtAnalytic) {
  const Rank straggler = 3 + 8 * (5 + 8 * 7);
  EXPECT_EQ(classes_of(kBig, {{straggler, 1.5}}, Fidelity::Flow), 4U * 16U);
}

// Flows that share a link with the straggler's may be faster or slower than others, so may those
// that share one with these, and so on round the rings of every group: without a look at what comes
// of it all ranks differ.
TEST(Roles, AtFlowAStragglerMayReachAllThatShareLinksInTurn) {
  const Rank straggler = 3 + 8 * (5 + 8 * 7);
  const Cluster cluster = examples::hybrid_cluster(kBig);
  const Folding folding =
      fold_ranks(examples::hybrid_plan(cluster, kBig), cluster,
                 {.fidelity = Fidelity::Flow, .stragglers = {{straggler, 1.5}}});
  EXPECT_EQ(folding.classes.size(), 1024U);
}

// Where a rank has one tensor group and no other, a straggler touches its group only.
TEST(Roles, AStragglerLeavesOtherGroupsAlone) {
  const HybridShape groups{.tensor = 8, .pipeline = 1, .data = 1, .layers = 2, .micro_batches = 2};
  EXPECT_EQ(classes_of(groups, {{3, 1.5}}), 2U);
}

// Sums over the nodes, one for each place on a node, and one of all ranks: behind them, or beside.
Plan plan_with_barrier(const Workload& workload, const Cluster& cluster, bool alone) {
  Builder builder("barrier", workload, cluster);
  const StreamId sums = builder.stream("sums");
  const StreamId norms = builder.stream("norms");
  const TaskId backward = builder.backward(0);
  const TaskId sum = builder.all_reduce(
      "sum", Bytes{1e6},
      {.stream = sums,
       .team = builder.team(
           Layout(cluster, {{Axis::Tensor, cluster.gpus_per_node}, {Axis::Data, cluster.nodes}})
               .along(Axis::Data)),
       .after = {backward}});
  const TaskId norm =
      builder.all_reduce("norm", Bytes{1e5}, {.stream = norms, .after = {alone ? sum : backward}});
  builder.update("update", {sum, norm});
  return std::move(builder).build();
}

// A ring through all GPUs enters a node at its first and leaves it at its last: these use one
// direction of their ports, the others both.
TEST(Roles, ABarrierDoesNotTellTheGpusOfANodeApart) {
  const Workload workload = examples::uniform_workload(1, {1e-3}, {1e-3}, 1'000'000);
  const Cluster cluster = examples::plain_cluster(4, 4);
  const Plan plan = plan_with_barrier(workload, cluster, true);
  const EngineOptions options{.fidelity = Fidelity::Analytic};
  EXPECT_EQ(fold_ranks(plan, cluster, options).classes.size(), 2U);
  const Timeline timeline = simulate(plan, cluster, options);
  EXPECT_EQ(timeline.classes.size(), 1U);
  const Timeline unfolded =
      simulate(plan, cluster, {.fidelity = Fidelity::Analytic, .fold = false});
  EXPECT_DOUBLE_EQ(timeline.iteration_time.value, unfolded.iteration_time.value);
}

TEST(Roles, WhatAllDoTogetherBesideOthersTellsThemApart) {
  const Workload workload = examples::uniform_workload(1, {1e-3}, {1e-3}, 1'000'000);
  const Cluster cluster = examples::plain_cluster(4, 4);
  const Plan plan = plan_with_barrier(workload, cluster, false);
  const Timeline timeline = simulate(plan, cluster, {.fidelity = Fidelity::Analytic});
  EXPECT_EQ(timeline.classes.size(), 2U);
  const Timeline unfolded =
      simulate(plan, cluster, {.fidelity = Fidelity::Analytic, .fold = false});
  EXPECT_DOUBLE_EQ(timeline.iteration_time.value, unfolded.iteration_time.value);
}

TEST(Roles, RanksWithProgramsOfTheirOwnAreClassesOfTheirOwn) {
  const Cluster cluster = examples::plain_cluster(2, 4);
  const Plan plan = examples::recorded_plan(cluster, 40, 20);
  const Timeline timeline = simulate(plan, cluster, {});
  EXPECT_EQ(timeline.classes.size(), 8U);
  // 2 sums of all, and 40 tasks for each of 8 classes: nothing is kept for the other 7.
  EXPECT_EQ(timeline.intervals[1].size(), 2U * 8U + 40U * 8U);
}

// Pairs over a NIC and pairs inside a node do not keep the same times.
TEST(Roles, PlaceTellsRanksApart) {
  const Cluster cluster = examples::plain_cluster(4, 2);
  const Workload workload = examples::uniform_workload(1, {1e-3}, {0}, 1);
  Builder builder("pairs", workload, cluster);
  builder.stream("pairs");
  const TeamId pairs = builder.team({{{{0, 1}}, {{2, 4}}, {{3, 5}}, {{6, 7}}}});
  const TaskId forward = builder.forward(0);
  const TaskId sum = builder.all_reduce("sum", Bytes{1e6}, {.team = pairs});
  builder.after(sum, {forward});
  builder.next_after(forward, {sum});
  const Timeline timeline = simulate(std::move(builder).build(), cluster, {});
  EXPECT_EQ(timeline.classes.size(), 2U);
  EXPECT_EQ(timeline.class_of_rank, (std::vector<ClassId>{0, 0, 1, 1, 1, 1, 0, 0}));
  // Inside: 1 MB over a port of 10 GB/s; between: two pairs share a NIC of 1 GB/s.
  EXPECT_NEAR((timeline.at(1, sum, 0).end - timeline.at(1, sum, 0).start).value, 1e-4, 1e-9);
  EXPECT_NEAR((timeline.at(1, sum, 1).end - timeline.at(1, sum, 1).start).value, 2e-3, 1e-9);
}

}  // namespace
}  // namespace stepcast
