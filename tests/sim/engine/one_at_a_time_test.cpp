#include "sim/engine/network/one_at_a_time.hpp"

#include <gtest/gtest.h>

#include "models/schedule/builder.hpp"
#include "sim/engine/folding/folding.hpp"
#include "tests/support/examples.hpp"

namespace stepcast {
namespace {

using examples::plain_cluster;
using examples::uniform_workload;

const Workload kWorkload = uniform_workload(1, {1e-3}, {2e-3}, 1);
const Cluster kCluster = plain_cluster(4);

using Groups = std::vector<std::vector<Rank>>;

// A plan with an all-reduce of each of the groups, all on a stream of the rule.
Plan plan_of(const Groups& groups, const DispatchRule& rule) {
  Builder builder("any", kWorkload, kCluster);
  const StreamId stream = builder.stream("all-reduce", rule);
  builder.forward(0);
  for (const auto& ranks : groups)
    builder.all_reduce("sum", Bytes{1e6}, {.stream = stream, .team = builder.group(ranks)});
  return std::move(builder).build();
}

bool one_at_a_time(const Plan& plan) {
  const Folding folding = fold_ranks(plan, kCluster, {});
  return communicates_one_at_a_time(plan, compile(plan, folding, {}), folding);
}

TEST(OneAtATime, InOrderARankThatIsInAllKeepsThemApart) {
  EXPECT_TRUE(one_at_a_time(plan_of({{0, 1, 2, 3}, {0, 1}}, InOrder{})));
  EXPECT_FALSE(one_at_a_time(plan_of({{0, 1, 2, 3}, {0, 1}, {2, 3}}, InOrder{})));
}

TEST(OneAtATime, ANegotiationKeepsApartWhatItsThreadsHaveInCommon) {
  EXPECT_TRUE(one_at_a_time(plan_of({{0, 1, 2, 3}, {0, 1}, {2, 3}}, Negotiated{})));
  EXPECT_FALSE(one_at_a_time(plan_of({{0, 1}, {2, 3}}, Negotiated{})));
}

TEST(OneAtATime, PrioritiesMayLaunchSeveralUnlessTheySayOne) {
  EXPECT_FALSE(one_at_a_time(plan_of({{0, 1, 2, 3}}, ByPriority{})));
  EXPECT_TRUE(one_at_a_time(plan_of({{0, 1, 2, 3}}, ByPriority{.at_once = 1})));
}

TEST(OneAtATime, TwoStreamsMayMeet) {
  Builder builder("two", kWorkload, kCluster);
  const StreamId one = builder.stream("one");
  const StreamId other = builder.stream("other");
  builder.all_reduce("sum", Bytes{1e6}, {.stream = one});
  builder.all_reduce("sum", Bytes{1e6}, {.stream = other});
  EXPECT_FALSE(one_at_a_time(std::move(builder).build()));
}

// The same job with a second stream, whose collective of one rank moves nothing: then every
// collective is carried out anew in each iteration.
TEST(OneAtATime, WhatIsRememberedIsWhatWouldHappenAgain) {
  const auto iteration_time = [](bool apart, Fidelity fidelity) {
    Builder builder("any", kWorkload, kCluster);
    const StreamId stream = builder.stream("all-reduce", Negotiated{.cycle = Seconds{1e-3}});
    const StreamId other = builder.stream("other");
    const TaskId forward = builder.forward(0);
    const TaskId update = builder.update();
    for (const double size : {1e6, 3e6, 1e6})
      builder.after(
          update, {builder.all_reduce("sum", Bytes{size}, {.stream = stream, .after = {forward}})});
    if (!apart)
      builder.all_reduce("none", Bytes{}, {.stream = other, .team = builder.group({0})});
    const Timeline timeline =
        simulate(std::move(builder).build(), kCluster, {.fidelity = fidelity});
    EXPECT_TRUE(timeline.steady);
    return timeline.mean_iteration_time().value;
  };
  for (const Fidelity fidelity : {Fidelity::Flow, Fidelity::Step}) {
    const double remembered = iteration_time(true, fidelity);
    EXPECT_GT(remembered, 7.5e-3);  // 5 MB, each 2 (4 - 1) / 4 times over 1 GB/s
    EXPECT_NEAR(remembered, iteration_time(false, fidelity), 1e-12);
  }
}

}  // namespace
}  // namespace stepcast
