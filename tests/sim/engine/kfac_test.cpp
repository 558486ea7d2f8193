// Ranks differ in K-FAC, where each inverts its own factors: folding must stay exact.

#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "sim/engine/engine.hpp"
#include "sim/engine/steps.hpp"
#include "tests/models/schedule/kfac/kfac_workload.hpp"
#include "tests/support/examples.hpp"

namespace stepcast {
namespace {

Seconds iteration_time(const char* schedule, const ScheduleOptions& options, bool fold,
                       std::uint32_t nodes = 4) {
  Cluster cluster = examples::plain_cluster(nodes, 2);
  cluster.overlap.compute_slowdown = 0.1;
  const Workload workload = examples::kfac_workload(5);
  const Plan plan = build_plan(schedule, workload, cluster, options);
  return simulate(plan, cluster, {.fold = fold}).iteration_time;
}

class KfacFolding : public testing::TestWithParam<const char*> {};

TEST_P(KfacFolding, IsExact) {
  const Seconds folded = iteration_time(GetParam(), {}, true);
  EXPECT_NEAR(folded.value, iteration_time(GetParam(), {}, false).value, 1e-9 * folded.value);
}

// The passes of 5 layers of 1 + 2 ms and of the normalisation of 0.1 + 0.1 ms.
TEST_P(KfacFolding, WithoutItsPartsAStepIsForwardAndBackward) {
  EXPECT_NEAR(iteration_time(GetParam(), {{"parts", "ff-bp"}}, true).value, 15.2e-3, 1e-12);
}

// What is switched on can only add; but the last part takes the place of a barrier.
TEST_P(KfacFolding, EveryPartAddsTime) {
  Seconds before{};
  for (const char* part : {"ff-bp", "gradient-communication", "preconditioning",
                           "factor-computation", "factor-communication", "inverse-computation"}) {
    const Seconds time = iteration_time(GetParam(), {{"parts", part}}, true);
    EXPECT_GE(time.value, before.value * (1 - 1e-9)) << part;
    before = time;
  }
}

INSTANTIATE_TEST_SUITE_P(All, KfacFolding,
                         testing::Values("d-kfac", "mpd-kfac", "kaisa", "spd-kfac", "pad-kfac",
                                         "dp-kfac"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(KfacUpdate, AnIterationWithoutUpdateIsShorter) {
  const auto time = [](const char* update) {
    return iteration_time(
        "spd-kfac", {{"update", update}, {"cycle", "0s"}, {"negotiation_per_rank", "0s"}}, true);
  };
  EXPECT_LT(time("none"), time("factors"));
  EXPECT_LT(time("factors"), time("inverses"));
}

// Steps of d-kfac wait for all they send, so with a Horovod that never sleeps a period is the sum
// of its steps: inverses, none, factors, none.
TEST(KfacUpdate, APeriodIsTheMeanOfItsSteps) {
  const ScheduleOptions awake{{"cycle", "0s"}, {"negotiation_per_rank", "0s"}};
  ScheduleOptions period = awake;
  period.insert({{"factor_interval", "2"}, {"inverse_interval", "4"}});
  const Cluster cluster = examples::plain_cluster(4, 2);
  const Plan plan = build_plan("d-kfac", examples::kfac_workload(5), cluster, period);
  Seconds sum{};
  for (const char* update : {"inverses", "none", "factors", "none"}) {
    ScheduleOptions one = awake;
    one["update"] = update;
    const Plan step = build_plan("d-kfac", examples::kfac_workload(5), cluster, one);
    sum += step_time_of(step, cluster, {});
  }
  EXPECT_NEAR(step_time_of(plan, cluster, {}).value, sum.value / 4, 1e-9);
}

// Two more passes of 5 layers of 3 ms and of the normalisation of 0.2 ms; factors are made once.
TEST(KfacAccumulation, AddsPassesOnly) {
  const ScheduleOptions awake{{"cycle", "0s"}, {"negotiation_per_rank", "0s"}};
  ScheduleOptions more = awake;
  more["accumulation"] = "3";
  const Cluster cluster = examples::plain_cluster(4, 2);
  const auto time = [&](const ScheduleOptions& options) {
    return step_time_of(build_plan("d-kfac", examples::kfac_workload(5), cluster, options), cluster,
                        {});
  };
  EXPECT_NEAR((time(more) - time(awake)).value, 2 * 15.2e-3, 1e-9);
}

}  // namespace
}  // namespace stepcast
