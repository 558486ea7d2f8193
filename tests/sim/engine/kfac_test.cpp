// Ranks differ in K-FAC, where each inverts its own factors: folding must stay exact.

#include <gtest/gtest.h>

#include "models/schedule/registry.hpp"
#include "sim/engine/engine.hpp"
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
  EXPECT_LT(iteration_time("spd-kfac", {{"update", "none"}}, true),
            iteration_time("spd-kfac", {{"update", "factors"}}, true));
  EXPECT_LT(iteration_time("spd-kfac", {{"update", "factors"}}, true),
            iteration_time("spd-kfac", {}, true));
}

}  // namespace
}  // namespace stepcast
