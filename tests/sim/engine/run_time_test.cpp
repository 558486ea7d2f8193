// What happens at run time beyond repeating the same dependencies: edges over several iterations,
// k of n, streams that mix, runs of so many iterations, chance, groups made on the spot.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "models/network/layout.hpp"
#include "models/schedule/builder.hpp"
#include "sim/engine/engine.hpp"
#include "sim/engine/policy/dispatch_policy.hpp"
#include "sim/engine/program.hpp"
#include "tests/support/examples.hpp"

namespace stepcast {
namespace {

using examples::plain_cluster;
const Workload kWorkload = examples::uniform_workload(1, {1e-3}, {0}, 1);

// Compute takes 1 ms; 3 ms on another stream follow, for which a compute waits that comes d
// iterations later. One round takes 4 ms and d iterations pass in it; with d = 4 neither waits, and
// the other stream's 3 ms bind.
TEST(RunTime, AnEdgeMayLeadSeveralIterationsOn) {
  for (const auto& [iterations, expected] : {std::pair{1U, 4e-3}, {2U, 3e-3}, {4U, 3e-3}}) {
    const Cluster cluster = plain_cluster(1);
    Builder builder("late", kWorkload, cluster);
    const TaskId compute = builder.forward(0);
    const TaskId other =
        builder.compute("other", Seconds{3e-3}, {.stream = builder.stream("other")});
    builder.after(other, {compute});
    builder.later_after(compute, other, iterations);
    const Timeline timeline = simulate(std::move(builder).build(), cluster, {});
    EXPECT_NEAR(timeline.iteration_time.value, expected, 1e-12) << iterations;
  }
}

// Three streams, one task each at a time of 1, 2 and 5 ms; the update waits for two of them and is
// there at 2 ms. The slow stream is done at 5 ms and delays nothing but itself.
TEST(RunTime, ATaskMayWaitForSomeOfItsPredecessors) {
  for (const auto& [needed, expected] : {std::pair{1U, 1e-3}, {2U, 2e-3}, {3U, 5e-3}}) {
    const Cluster cluster = plain_cluster(1);
    Builder builder("quorum", kWorkload, cluster);
    std::vector<TaskId> pieces;
    for (const double time : {1e-3, 2e-3, 5e-3})
      pieces.push_back(
          builder.compute("piece", Seconds{time}, {.stream = builder.stream("piece")}));
    const TaskId update = builder.update("update");
    builder.after(update, pieces);
    builder.needs(update, needed);
    const Timeline timeline = simulate(std::move(builder).build(), cluster, {.iterations = 1});
    EXPECT_NEAR(timeline.begin.value, expected, 1e-12) << needed;
  }
}

// Compute, an all-reduce of 1 MB over NICs of 1 GB/s, compute, on one stream: 1 + 1 + 1 ms. The
// second rank is slower by 1 ms before the all-reduce and after it.
TEST(RunTime, AStreamMayHoldComputeAndCommunication) {
  const Cluster cluster = plain_cluster(2);
  Builder builder("mixed", kWorkload, cluster);
  builder.forward(0);
  const TaskId sum = builder.all_reduce("sum", Bytes{1e6}, {.stream = 0});
  builder.forward(0);
  const Timeline timeline =
      simulate(std::move(builder).build(), cluster, {.stragglers = {{1, 2.0}}});
  EXPECT_NEAR(timeline.iteration_time.value, 5e-3, 1e-9);
  // Rank 0 waits for the other, which still has 2 ms of the iteration before and 2 of this one.
  const Interval& run = timeline.at(1, sum, 0);
  EXPECT_NEAR((run.end - run.start).value, 1e-3, 1e-9);
}

// A straggler makes two classes: the compute runs on each, the all-reduce once for both.
TEST(RunTime, WhatAllMembersDoTogetherIsKeptOnce) {
  const Cluster cluster = plain_cluster(4);
  Builder builder("kept", kWorkload, cluster);
  const TaskId forward = builder.forward(0);
  const TaskId sum = builder.all_reduce("sum", Bytes{1e6}, {.stream = builder.stream("sum")});
  builder.after(sum, {forward});
  const Plan plan = std::move(builder).build();
  const Folding folding = fold_ranks(plan, cluster, {.stragglers = {{1, 2.0}}});
  const Program program = compile(plan, folding, {});
  EXPECT_EQ(program.places.size(), 4U);
  EXPECT_EQ(program.runs, 3U);
  EXPECT_EQ(program.readies, 2U);
}

TEST(RunTime, ARunMayHaveSoManyIterations) {
  const Cluster cluster = plain_cluster(1);
  Builder builder("run", kWorkload, cluster);
  builder.forward(0);
  const Timeline timeline = simulate(std::move(builder).build(), cluster, {.iterations = 5});
  EXPECT_EQ(timeline.iterations, 5U);
  ASSERT_EQ(timeline.iteration_times.size(), 5U);
  EXPECT_NEAR(timeline.iteration_times.back().value, 1e-3, 1e-12);
  EXPECT_NEAR(timeline.iteration_time.value, 1e-3, 1e-12);
}

// A step of all ranks takes as long as the slowest draw of its iteration.
TEST(RunTime, ASlowDownIsAskedForRankAndIteration) {
  const Cluster cluster = plain_cluster(4);
  const SlowDown slow{.laws = {SlowDown::LogNormal{0.3}}, .seed = 7};
  Builder builder("chance", kWorkload, cluster);
  const TaskId forward = builder.forward(0);
  const TaskId sum = builder.all_reduce("sum", Bytes{1}, {.stream = builder.stream("sum")});
  builder.after(sum, {forward});
  builder.next_after(forward, {sum});
  const Plan plan = std::move(builder).build();
  const Timeline timeline = simulate(plan, cluster, {.iterations = 20, .slow_down = slow});
  ASSERT_EQ(timeline.iteration_times.size(), 20U);
  for (std::uint32_t i = 0; i < 20; ++i) {
    double slowest = 0;
    for (Rank rank = 0; rank < 4; ++rank)
      slowest = std::max(slowest, slow.factor(rank, i));
    EXPECT_NEAR(timeline.iteration_times[i].value, 1e-3 * slowest, 1e-8);
  }
}

// Whoever is ready first meets whoever is ready next, as a group that exists for this once.
class FirstTwo : public DispatchPolicy {
 public:
  explicit FirstTwo(Dispatcher& dispatcher) : dispatcher_(dispatcher) {}

  void ready(Operation operation) override {
    waiting_.push_back(operation);
    if (waiting_.size() < 2)
      return;
    const Group group{
        {dispatcher_.group_of(waiting_[0]).ranks[0], dispatcher_.group_of(waiting_[1]).ranks[0]}};
    const std::vector<Operation> pair = std::exchange(waiting_, {});
    dispatcher_.launch_on(group, pair, {});
  }
  void finished(Operation /*operation*/) override {}

 private:
  Dispatcher& dispatcher_;
  std::vector<Operation> waiting_;
};

// Ranks 0 to 3 compute 1, 3, 1 and 3 ms: 0 meets 2 and 1 meets 3, wherever they are in the order of
// ranks; 1 MB over NICs of 1 GB/s is 1 ms more.
TEST(RunTime, APolicyMayLaunchOnAGroupMadeOnTheSpot) {
  for (const Fidelity fidelity : {Fidelity::Analytic, Fidelity::Flow, Fidelity::Step}) {
    const Cluster cluster = plain_cluster(4);
    const Layout layout(cluster, {{Axis::Data, 4}});
    Builder builder("pairs", kWorkload, cluster);
    const StreamId stream = builder.stream("pairs");
    const TeamId each = builder.team(layout.each());
    const TaskId forward = builder.forward(0);
    const TaskId mean = builder.all_reduce("mean", Bytes{1e6}, {.stream = stream, .team = each});
    builder.after(mean, {forward});
    builder.next_after(forward, {mean});
    const Plan plan = std::move(builder).build();
    const Timeline timeline =
        simulate(plan, cluster,
                 {.fidelity = fidelity,
                  .stragglers = {{1, 3.0}, {3, 3.0}},
                  .fold = false,
                  .iterations = 1,
                  .policy = [&](StreamId id, Dispatcher& dispatcher) {
                    return id == stream ? std::make_unique<FirstTwo>(dispatcher) : nullptr;
                  }});
    for (const auto& [rank, end] : {std::pair{0U, 2e-3}, {1U, 4e-3}, {2U, 2e-3}, {3U, 4e-3}})
      EXPECT_NEAR(timeline.at(1, mean, rank).end.value, end, 1e-9) << rank;
  }
}

}  // namespace
}  // namespace stepcast
