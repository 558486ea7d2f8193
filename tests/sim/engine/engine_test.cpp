#include "sim/engine/engine.hpp"

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/schedule/builder.hpp"
#include "models/schedule/list/registry.hpp"
#include "tests/support/examples.hpp"

namespace stepcast {
namespace {

using examples::plain_cluster;
using examples::uniform_workload;

// 8 layers; 16 GPUs; start-ups, launch costs and slow-down as on a real cluster.
Cluster realistic_cluster() {
  Cluster cluster = plain_cluster(4, 4);
  cluster.intra_node.startup = Seconds{6e-6};
  cluster.nic.startup = Seconds{15e-6};
  cluster.overlap.compute_slowdown = 0.07;
  cluster.software.collective_launch = Seconds{50e-6};
  cluster.software.negotiation_per_cycle = Seconds{3e-4};
  cluster.device.memory_bandwidth = BytesPerSecond{6e11};
  return cluster;
}
const Workload kWorkload = uniform_workload(8, {1e-3}, {2e-3}, 600'000);

TEST(Engine, FoldedEqualsUnfoldedToTheLastPrintedDigit) {
  const Cluster cluster = realistic_cluster();
  for (const ScheduleInfo& schedule : first_order_schedules())
    for (const Fidelity fidelity : {Fidelity::Analytic, Fidelity::Flow}) {
      const Plan plan = build_plan(schedule.name, kWorkload, cluster, {});
      const Timeline folded = simulate(plan, cluster, {.fidelity = fidelity});
      const Timeline unfolded = simulate(plan, cluster, {.fidelity = fidelity, .fold = false});
      EXPECT_EQ(folded.classes.size(), 1U);
      EXPECT_EQ(unfolded.classes.size(), 16U);
      EXPECT_NEAR(folded.iteration_time.value, unfolded.iteration_time.value, 1e-12)
          << schedule.name << " " << name_of(fidelity);
    }
}

TEST(Engine, FoldedEqualsUnfoldedWithStragglers) {
  const Cluster cluster = realistic_cluster();
  const std::map<Rank, double> stragglers{{3, 1.5}, {7, 1.2}, {9, 1.5}};
  for (const ScheduleInfo& schedule : first_order_schedules()) {
    const Plan plan = build_plan(schedule.name, kWorkload, cluster, {});
    const Timeline folded = simulate(plan, cluster, {.stragglers = stragglers});
    const Timeline unfolded = simulate(plan, cluster, {.stragglers = stragglers, .fold = false});
    EXPECT_EQ(folded.classes.size(), 3U);
    EXPECT_NEAR(folded.iteration_time.value, unfolded.iteration_time.value, 1e-12) << schedule.name;
  }
}

TEST(Engine, MergedComputeEqualsTaskByTask) {
  const Cluster cluster = realistic_cluster();
  for (const ScheduleInfo& schedule : first_order_schedules()) {
    const Plan plan = build_plan(schedule.name, kWorkload, cluster, {});
    const Timeline merged = simulate(plan, cluster, {});
    const Timeline single = simulate(plan, cluster, {.merge_compute = false});
    ASSERT_EQ(merged.intervals[1].size(), single.intervals[1].size());
    for (TaskId task = 0; task < plan.graph.size(); ++task) {
      EXPECT_NEAR((merged.at(1, task, 0).start - merged.begin).value,
                  (single.at(1, task, 0).start - single.begin).value, 1e-10)
          << schedule.name << " task " << task;
      EXPECT_NEAR((merged.at(1, task, 0).end - merged.begin).value,
                  (single.at(1, task, 0).end - single.begin).value, 1e-10)
          << schedule.name << " task " << task;
    }
  }
}

TEST(Engine, AStragglerHoldsUpEveryone) {
  // BSP: 1.5 * (8 + 16) ms of compute on rank 2, then 2 * 3/4 * 19.2 MB / 1 GB/s = 28.8 ms.
  const Cluster cluster = plain_cluster(4);
  const Plan plan = build_plan("bsp", kWorkload, cluster, {});
  const Timeline timeline = simulate(plan, cluster, {.stragglers = {{2, 1.5}}});
  EXPECT_NEAR(timeline.iteration_time.value, 0.036 + 0.0288, 1e-9);
}

TEST(Engine, ComputeSlowsDownWhileItCommunicates) {
  // WFBP on one layer pair: slow-down 0.5. Layer 1's all-reduce (6 ms) starts after its BP and lies
  // beside the BP of layer 0 (2 ms of work): that takes 3 ms. 2 * 1 + 2 + 3 ms, then the all-reduce
  // of layer 0 follows the one of layer 1: 2 + 2 + 6 + 6 = 16 ms; the backward pass is hidden.
  Cluster cluster = plain_cluster(4);
  cluster.overlap.compute_slowdown = 0.5;
  const Workload two = uniform_workload(2, {1e-3}, {2e-3}, 1'000'000);
  const Plan plan = build_plan("wfbp", two, cluster, {});
  const Timeline timeline = simulate(plan, cluster, {});
  EXPECT_NEAR(timeline.iteration_time.value, 0.016, 1e-9);
  // Tasks: forward 0, 1, backward 1, 0, update, all-reduces. Backward of layer 0 took 3 ms.
  EXPECT_NEAR((timeline.at(1, 3, 0).end - timeline.at(1, 3, 0).start).value, 0.003, 1e-9);
}

TEST(Engine, ACollectiveWaitsForRoomBesideTheRunningLayer) {
  // WFBP, two layers, launch wait 0.25. FF 2 ms, BP of layer 1 2 ms; its all-reduce (6 ms) is
  // launched as the BP of layer 0 (2 ms) begins and waits for a quarter of it; the one of layer 0
  // is launched when nothing computes: 4 + 0.5 + 6 + 6 ms.
  Cluster cluster = plain_cluster(4);
  cluster.overlap.launch_wait = 0.25;
  const Workload two = uniform_workload(2, {1e-3}, {2e-3}, 1'000'000);
  const Plan plan = build_plan("wfbp", two, cluster, {});
  for (const bool merge : {true, false})
    EXPECT_NEAR(simulate(plan, cluster, {.merge_compute = merge}).iteration_time.value, 0.0165,
                1e-9);
}

TEST(Engine, NamesWhatADeadlockWaitsFor) {
  // Stream order contradicts the dependency: b heads the stream but waits for c, which is behind
  // it.
  const Cluster cluster = plain_cluster(2);
  const Workload workload = uniform_workload(1, {1e-3}, {1e-3}, 10);
  Builder builder("knot", workload, cluster);
  builder.stream("all-reduce");
  const TaskId b = builder.all_reduce("b", Bytes{100});
  const TaskId c = builder.all_reduce("c", Bytes{100});
  builder.after(b, {c});
  const Plan plan = std::move(builder).build();
  try {
    simulate(plan, cluster, {});
    FAIL() << "a deadlock went unnoticed";
  } catch (const SimulationError& error) {
    EXPECT_STREQ(error.what(),
                 "deadlock in knot: iteration 0, rank 0: all-reduce \"b\" never ran; it waits for "
                 "all-reduce \"c\"");
  }
}

TEST(Engine, RefusesAStragglerOutsideTheCluster) {
  const Cluster cluster = plain_cluster(4);
  const Plan plan = build_plan("bsp", kWorkload, cluster, {});
  EXPECT_THROW(simulate(plan, cluster, {.stragglers = {{4, 2.0}}}), InputError);
}

/// Every time in the steady iteration and the one before it.
std::vector<double> times_of(const Timeline& timeline) {
  std::vector<double> times{timeline.iteration_time.value, timeline.begin.value};
  for (const auto& intervals : timeline.intervals)
    for (const Interval& interval : intervals)
      times.insert(times.end(), {interval.ready.value, interval.start.value, interval.end.value});
  return times;
}

// SimGrid's clock would go on from run to run, and where it stands shows in the last bits.
TEST(Engine, WhatRanBeforeDoesNotChangeABitOfTheResult) {
  const Cluster cluster = realistic_cluster();
  const Cluster other = plain_cluster(2);
  for (const Fidelity fidelity : {Fidelity::Analytic, Fidelity::Flow, Fidelity::Step})
    for (const char* schedule : {"dear", "bytescheduler", "ps"}) {
      const EngineOptions options{.fidelity = fidelity};
      const Plan plan = build_plan(schedule, kWorkload, cluster, {});
      const std::vector<double> first = times_of(simulate(plan, cluster, options));
      for (int i = 0; i < 20; ++i)
        ASSERT_EQ(times_of(simulate(plan, cluster, options)), first) << schedule;
      simulate(build_plan("wfbp", kWorkload, other, {}), other, options);
      EXPECT_EQ(times_of(simulate(plan, cluster, options)), first) << schedule;
    }
}

TEST(Engine, GroupsOfRanksCommunicateSideBySide) {
  // Two pairs all-reduce 1 MB each at the same time on NICs of their own: 2 * 1/2 * 1 MB / 1 GB/s.
  const Cluster cluster = plain_cluster(4);
  const Workload workload = uniform_workload(1, {1e-3}, {0}, 1);
  Builder builder("pairs", workload, cluster);
  builder.stream("all-reduce");
  const TeamId low = builder.group({0, 1});
  const TeamId high = builder.group({2, 3});
  const TaskId forward = builder.forward(0);
  const TaskId a = builder.all_reduce("a", Bytes{1e6}, {.team = low});
  const TaskId b = builder.all_reduce("b", Bytes{1e6}, {.team = high});
  const TaskId update = builder.update("update");
  builder.after(a, {forward});
  builder.after(b, {forward});
  builder.after(update, {a, b});
  const Timeline timeline = simulate(std::move(builder).build(), cluster, {});
  EXPECT_EQ(timeline.classes.size(), 2U);
  EXPECT_NEAR(timeline.iteration_time.value, 0.002, 1e-9);
}

TEST(Engine, PriorityGoesFirstWithinTheCredit) {
  // Three all-reduces of 1 MB (1 ms each on two nodes) become ready together; one at a time, the
  // lowest priority value first.
  const Cluster cluster = plain_cluster(2);
  const Workload workload = uniform_workload(1, {1e-3}, {0}, 1);
  Builder builder("priority", workload, cluster);
  const StreamId stream = builder.stream("all-reduce", ByPriority{});
  const TaskId forward = builder.forward(0);
  std::vector<TaskId> reduced;
  for (const std::int32_t priority : {2, 0, 1}) {
    reduced.push_back(
        builder.all_reduce("x", Bytes{1e6}, {.stream = stream, .priority = priority}));
    builder.after(reduced.back(), {forward});
  }
  const TaskId update = builder.update("update");
  builder.after(update, reduced);
  const Timeline timeline = simulate(std::move(builder).build(), cluster, {});
  const auto start = [&](std::size_t i) {
    return (timeline.at(1, reduced[i], 0).start - timeline.begin).value;
  };
  // Which of them became ready first within the instant does not matter.
  EXPECT_NEAR(start(1), 0.001, 1e-9);
  EXPECT_NEAR(start(2), 0.002, 1e-9);
  EXPECT_NEAR(start(0), 0.003, 1e-9);
  EXPECT_NEAR(timeline.iteration_time.value, 0.004, 1e-9);
}

// Three reduces of 1 MB on links of their own (1 ms each), of which a server takes in one after the
// other: 3 ms for each. All are handed over at once; the second moves when the first is taken in.
TEST(Engine, OverheadsOfAStreamTakeTurns) {
  const Cluster cluster = plain_cluster(2);
  const Workload workload = uniform_workload(1, {1e-3}, {0}, 1);
  const auto time_of = [&](bool takes_turns) {
    Builder builder("turns", workload, cluster);
    const StreamId stream = builder.stream(
        "push", ByPriority{.credit = Bytes{3e6}, .at_once = 3, .takes_turns = takes_turns});
    const TaskId forward = builder.forward(0);
    std::vector<TaskId> pushed;
    for (int piece = 0; piece < 3; ++piece)
      pushed.push_back(builder.reduce(
          "push", Bytes{1e6}, {.stream = stream, .overhead = Seconds{3e-3}, .after = {forward}}));
    builder.after(builder.update(), pushed);
    return simulate(std::move(builder).build(), cluster, {}).iteration_time.value;
  };
  EXPECT_NEAR(time_of(true), 1e-3 + 3 * 3e-3 + 1e-3, 1e-9);
  EXPECT_NEAR(time_of(false), 1e-3 + 3e-3 + 3 * 1e-3, 1e-9);
}

}  // namespace
}  // namespace stepcast
