// Steps that wait for their samples.
#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "sim/engine/engine.hpp"
#include "tests/support/examples.hpp"

namespace stepcast {
namespace {

/// 10 layers of 1 ms forward and 2 ms backward, 8 samples, hardly any gradients; seconds a step.
double iteration(const std::string& schedule, double input_per_sample,
                 const ScheduleOptions& options = {}, const EngineOptions& engine = {}) {
  Workload workload = examples::uniform_workload(10, {1e-3}, {2e-3}, 1);
  workload.batch = 8;
  workload.input = Seconds{input_per_sample};
  const Cluster cluster = examples::plain_cluster(4);
  const Timeline timeline =
      simulate(build_plan(schedule, workload, cluster, options), cluster, engine);
  EXPECT_TRUE(timeline.steady);
  return timeline.mean_iteration_time().value;
}

TEST(Input, OfAFastPipelineIsNeverWaitedFor) {
  EXPECT_NEAR(iteration("bsp", 0), 0.030, 1e-6);
  EXPECT_NEAR(iteration("bsp", 3e-3), 0.030, 1e-6);  // 8 samples in 24 ms.
}

TEST(Input, OfASlowPipelineIsWhatAStepTakes) {
  for (const char* schedule : {"bsp", "wfbp", "dear", "horovod", "zero"})
    EXPECT_NEAR(iteration(schedule, 5e-3), 0.040, 1e-6) << schedule;
}

TEST(Input, IsOfAllMiniBatchesOfAStep) {
  EXPECT_NEAR(iteration("wfbp", 5e-3, {{"accumulation", "3"}}), 0.120, 1e-6);
}

// 20 steps, all but the first alike: none is jumped over, as the input runs ahead of them.
TEST(Input, OfALongPeriodIsWaitedForInEveryStep) {
  const ScheduleOptions period{
      {"threshold_every", "20"}, {"selection", "free"}, {"density", "0.01"}};
  EXPECT_NEAR(iteration("dct", 0, period), 20 * 0.030, 1e-4);
  EXPECT_NEAR(iteration("dct", 5e-3, period), 20 * 0.040, 1e-4);
}

TEST(Input, IsNotSlowedByCommunication) {
  Workload workload = examples::uniform_workload(10, {1e-3}, {2e-3}, 100'000);
  workload.input = Seconds{0.05};  // 10 all-reduces of 0.6 ms hide behind it.
  Cluster cluster = examples::plain_cluster(4);
  cluster.overlap.compute_slowdown = 0.5;
  const Timeline timeline = simulate(build_plan("wfbp", workload, cluster, {}), cluster, {});
  EXPECT_NEAR(timeline.mean_iteration_time().value, 0.05, 1e-6);
}

TEST(Input, IsTheSameInAllFidelities) {
  for (const Fidelity fidelity : {Fidelity::Analytic, Fidelity::Flow, Fidelity::Step})
    EXPECT_NEAR(iteration("wfbp", 5e-3, {}, {.fidelity = fidelity}), 0.040, 1e-6);
}

}  // namespace
}  // namespace stepcast
