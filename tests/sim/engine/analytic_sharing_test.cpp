// Schedules with several transfers under way at once, by closed forms against shared links.
#include <gtest/gtest.h>

#include "models/network/layout.hpp"
#include "models/schedule/builder.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/engine/engine.hpp"
#include "sim/engine/steps.hpp"
#include "tests/support/examples.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

Seconds step(const Plan& plan, const Cluster& cluster, Fidelity fidelity) {
  return step_time_of(plan, cluster, {.fidelity = fidelity});
}

struct Case {
  const char* schedule;
  ScheduleOptions options;
};

// Bound by communication: 12 layers of 8 MB in 12 ms of compute, NICs of 1 GB/s.
TEST(AnalyticSharing, TransfersAtOnceTakeAsLongAsTheirFlows) {
  const Workload workload =
      examples::uniform_workload(12, Seconds{0.4e-3}, Seconds{0.6e-3}, 2'000'000);
  const Case cases[] = {{"ps", {}},
                        {"ps", {{"in_flight", "8"}}},
                        {"ps", {{"servers", "2"}}},
                        {"ps", {{"placement", "remote"}}},
                        {"ps", {{"order", "priority"}, {"barrier", "no"}}},
                        {"asc-wfbp", {}}};
  for (const std::uint32_t gpus : {1U, 4U}) {
    const Cluster cluster = examples::plain_cluster(8, gpus);
    for (const auto& [schedule, options] : cases) {
      const Plan plan = build_plan(schedule, workload, cluster, options);
      const double ratio =
          step(plan, cluster, Fidelity::Analytic) / step(plan, cluster, Fidelity::Flow);
      EXPECT_NEAR(ratio, 1, 0.1) << schedule << " " << gpus << " "
                                 << (options.empty() ? "" : options.begin()->first);
    }
  }
}

// Four nodes of four GPUs; ports of 10 GB/s, NICs of 1 GB/s.
const Cluster kCluster = examples::plain_cluster(4, 4);

// An all-reduce of 1 MB in each group of `team`, folded and not.
void expect_time(const Team& team, const Cluster& cluster, double seconds) {
  const Workload workload = examples::uniform_workload(1, {1e-3}, {0}, 1);
  Builder builder("sum", workload, cluster);
  const StreamId stream = builder.stream("sum");
  const TaskId sum =
      builder.all_reduce("sum", Bytes{1e6}, {.stream = stream, .team = builder.team(team)});
  builder.after(sum, {builder.forward(0)});
  const Plan plan = std::move(builder).build();
  for (const bool fold : {false, true}) {
    const Timeline timeline =
        simulate(plan, cluster, {.fidelity = Fidelity::Analytic, .fold = fold});
    const Interval& run =
        timeline.at(1, sum, timeline.class_of_rank[team.groups.front().ranks.front()]);
    EXPECT_NEAR((run.end - run.start).value, seconds, seconds * 1e-9) << fold;
  }
}

TEST(AnalyticSharing, GroupsInsideNodesShareNoNic) {
  const Layout layout(kCluster, {{Axis::Tensor, 4}, {Axis::Data, 4}});
  // 2 * 3/4 of 1 MB over a port.
  expect_time(layout.along(Axis::Tensor), kCluster, 1.5e-4);
}

TEST(AnalyticSharing, GroupsAcrossNodesShareTheirNics) {
  const Layout layout(kCluster, {{Axis::Tensor, 4}, {Axis::Data, 4}});
  // 2 * 3/4 of 1 MB over a fourth of a NIC; a rail that is alone has it to itself.
  expect_time(layout.along(Axis::Data), kCluster, 6e-3);
  expect_time(layout.along(Axis::Data).at(Axis::Tensor, 1), kCluster, 1.5e-3);
}

// Three of 1 MB leave node 0, a third of its NIC each: 3 ms. The fourth, of 2 MB, meets one of them
// at node 2, which leaves it two thirds of that NIC: 3 ms too, where half would make it 3.5.
TEST(AnalyticSharing, WhatASlowedTransferLeavesOfALinkIsForTheOthers) {
  const Workload workload = examples::uniform_workload(1, {1e-3}, {0}, 1);
  const Cluster cluster = examples::plain_cluster(4);
  Builder builder("sends", workload, cluster);
  const TaskId begin = builder.forward(0);
  TaskId last = begin;
  const auto send = [&](Rank from, Rank to, double size) {
    last = builder.send("part", Bytes{size},
                        {.stream = builder.stream(std::to_string(size) + std::to_string(to)),
                         .team = builder.group({from, to}),
                         .after = {begin}});
  };
  send(0, 1, 1e6);
  send(0, 1, 1e6);
  send(0, 2, 1e6);
  send(3, 2, 2e6);
  const Plan plan = std::move(builder).build();
  for (const Fidelity fidelity : {Fidelity::Analytic, Fidelity::Flow}) {
    const Timeline timeline = simulate(plan, cluster, {.fidelity = fidelity});
    const Interval& run = timeline.at(1, last, timeline.class_of_rank[3]);
    EXPECT_NEAR((run.end - run.start).value, 3e-3, 1e-9) << name_of(fidelity);
  }
}

// Down a chain from rank 0 nothing leaves rank 3; from rank 3 the broadcast shares that NIC with a
// send. What was found of the one root is not taken for the other.
TEST(AnalyticSharing, BroadcastsFromTwoRootsUseTwoSetsOfLinks) {
  const Cluster cluster = examples::plain_cluster(4);
  const Workload workload = examples::uniform_workload(1, {1e-3}, {0}, 1);
  for (const Fidelity fidelity : {Fidelity::Analytic, Fidelity::Flow}) {
    Builder builder("two roots", workload, cluster);
    const StreamId stream = builder.stream("broadcasts");
    const StreamId sends = builder.stream("sends");
    const TaskId forward = builder.forward(0);
    const auto add = [&](std::uint32_t root, TaskId after) {
      const TaskId sent = builder.send(
          "send", Bytes{1e6}, {.stream = sends, .team = builder.group({3, 0}), .after = {after}});
      return std::pair(
          sent,
          builder.broadcast(
              "from a root", Bytes{1e6},
              {.stream = stream, .algorithm = Algorithm::Chain, .root = root, .after = {after}}));
    };
    const auto [first_send, from_first] = add(0, forward);
    const auto [second_send, from_last] = add(3, from_first);
    const TaskId update = builder.update("update", {from_last, second_send});
    builder.next_after(forward, {update});
    const Plan plan = std::move(builder).build();
    const Timeline timeline = simulate(plan, cluster, {.fidelity = fidelity});
    const auto time_of = [&](TaskId task) {
      const Interval& run = timeline.at(1, task, timeline.class_of_rank[0]);
      return (run.end - run.start).value;
    };
    EXPECT_NEAR(time_of(from_last) / time_of(from_first), 2, 0.1) << name_of(fidelity);
  }
}

// Workers and servers at once on every NIC, as published jobs have it: what is left is that flow
// is fair to the messages of a transfer, which here move at one pace: 2 to 11 % on 10 GbE.
TEST(AnalyticSharing, ParameterServersAreWithinAnEighthOfTheirFlows) {
  for (const char* name : {"resnet50-rtx2080ti-bs64", "bert-base-rtx2080ti-bs64"}) {
    const Workload workload = load_workload(name);
    Cluster cluster = load_cluster("rtx2080ti-16x4-10gbe");
    cluster.overlap.communication_slowdown = 0;  // ports are not what this is about
    const Plan plan = build_plan("ps", workload, cluster, {});
    const double ratio =
        step(plan, cluster, Fidelity::Analytic) / step(plan, cluster, Fidelity::Flow);
    EXPECT_GE(ratio, 1) << name;
    EXPECT_LE(ratio, 1.125) << name;
  }
}

TEST(AnalyticSharing, UplinksAreSharedByTheGroupsThatLeaveTheRack) {
  // Racks of two nodes with an uplink of 2 GB/s / 4: a fourth of .5 GB/s for each of four rings.
  Cluster cluster = kCluster;
  cluster.rack = RackLevel{.nodes = 2, .oversubscription = 4};
  const Layout layout(cluster, {{Axis::Tensor, 4}, {Axis::Data, 4}});
  expect_time(layout.along(Axis::Data), cluster, 1.5e-3 / (0.5 / 4));
}

}  // namespace
}  // namespace stepcast
