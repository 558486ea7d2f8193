// FSDP on several stages of a pipeline.
#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "models/schedule/model_parallel/schedules.hpp"
#include "sim/engine/engine.hpp"
#include "tests/support/examples.hpp"

namespace stepcast {
namespace {

// Eight layers of 1 ms forward and 2 ms backward, 4 MB each, on two stages of two ranks.
Plan plan_of(const char* pipeline, const char* zero, const Cluster& cluster) {
  const Workload model = examples::uniform_workload(8, Seconds{1e-3}, Seconds{2e-3}, 1'000'000);
  return build_hybrid(schedule_of(pipeline), model, cluster,
                      {{"pp", "2"},
                       {"zero", zero},
                       {"global_batch", "8"},
                       {"norm_barrier", "no"},
                       {"optimiser_bytes", "0"}})
      .hybrid.plan;
}

Seconds step_of(const Plan& plan, const Cluster& cluster, bool fold = true) {
  return simulate(plan, cluster, {.fidelity = Fidelity::Analytic, .fold = fold}).iteration_time;
}

// Gathers of a stage wait for its own passes alone: they waited for those of the stage before, and
// no plan could be made.
TEST(ShardedStages, GatherBesideTheirOwnPasses) {
  const Cluster cluster = examples::plain_cluster(1, 4);
  for (const char* pipeline : {"1f1b", "interleaved"}) {
    const Plan sharded = plan_of(pipeline, "3", cluster);
    const Seconds step = step_of(sharded, cluster);
    // Half of 4 MB moves at 10 GB/s in .2 ms, beside a layer's pass of 1 ms or more: but for the
    // first gather and the last gradient of a step nothing is left to be seen.
    EXPECT_NEAR(step / step_of(plan_of(pipeline, "0", cluster), cluster), 1, 0.02) << pipeline;
    EXPECT_EQ(step, step_of(sharded, cluster, false)) << pipeline;
  }
}

}  // namespace
}  // namespace stepcast
