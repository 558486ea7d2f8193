// ZeRO-2: ranks keep a share of the gradients, so that those of every micro-batch are scattered.
#include <algorithm>

#include <gtest/gtest.h>

#include "models/collective/collective.hpp"
#include "sim/forecast/hybrid/hybrid_forecast.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/input_error.hpp"
#include "tests/support/owned_job.hpp"

namespace stepcast {
namespace {

constexpr std::uint32_t kSmall = 2'500'000;   // elements: 10 MB, scattered over 4 in 0.75 ms
constexpr std::uint32_t kLarge = 25'000'000;  // 7.5 ms

// Eight layers of 1 ms forward and 2 ms backward on 4 copies; 10 GB/s inside the node.
OwnedJob copies(const char* zero, std::uint32_t elements, std::uint32_t micro_batches,
                const char* overlap = "yes") {
  OwnedJob scenario{
      .workload = examples::uniform_workload(8, Seconds{1e-3}, Seconds{2e-3}, elements),
      .cluster = examples::plain_cluster(1, 4),
      .schedule = "1f1b",
      .options = {{"zero", zero}, {"overlap_gradients", overlap}}};
  scenario.options["micro_batch"] = "1";
  scenario.options["global_batch"] = std::to_string(4 * micro_batches);
  scenario.engine.fidelity = Fidelity::Analytic;
  return scenario;
}

HybridRun run_of(const OwnedJob& scenario) {
  return build_hybrid(scenario.info(), scenario.workload, scenario.cluster, scenario.options);
}

double step_ms(const OwnedJob& scenario) {
  return simulated(scenario).forecast.iteration_time.value * 1e3;
}

// What one more micro-batch takes.
double period_ms(const char* zero, std::uint32_t elements, const char* overlap = "yes") {
  return step_ms(copies(zero, elements, 5, overlap)) - step_ms(copies(zero, elements, 4, overlap));
}

double scattered_bytes(const Plan& plan) {
  double sum = 0;
  for (const PlannedCollective& planned : plan.collectives)
    if (planned.collective.kind == CollectiveKind::ReduceScatter)
      sum += planned.collective.size.value;
  return sum;
}

TEST(GradientShards, EveryMicroBatchScattersAllGradients) {
  const double once = scattered_bytes(run_of(copies("1", kSmall, 4)).hybrid.plan);
  EXPECT_DOUBLE_EQ(once, 8 * 10e6);
  for (const char* overlap : {"yes", "no"})
    EXPECT_DOUBLE_EQ(scattered_bytes(run_of(copies("2", kSmall, 4, overlap)).hybrid.plan), 4 * once)
        << overlap;
}

TEST(GradientShards, ScatteringHidesBesideTheBackwardPassOrSetsThePace) {
  // A micro-batch computes for 8 x 3 ms; its scatters take 8 x 0.75 ms or 8 x 7.5 ms.
  const double compute = period_ms("1", kSmall);
  EXPECT_NEAR(period_ms("2", kSmall), compute, 1e-6);
  EXPECT_NEAR(period_ms("2", kLarge), 8 * 7.5, 0.01 * 8 * 7.5);
  EXPECT_GT(period_ms("2", kLarge), 2 * period_ms("1", kLarge));
}

TEST(GradientShards, WithoutOverlapTheNextMicroBatchWaits) {
  EXPECT_NEAR(period_ms("2", kLarge, "no") - period_ms("1", kLarge, "no"), 8 * 7.5, 0.01 * 8 * 7.5);
}

TEST(GradientShards, OneMicroBatchIsThatOfZero1) {
  for (const char* overlap : {"yes", "no"})
    EXPECT_NEAR(step_ms(copies("2", kLarge, 1, overlap)), step_ms(copies("1", kLarge, 1, overlap)),
                1e-9);
}

// A quarter of eight layers' 100 MB, and whole for a while those of one layer, or of a pass.
TEST(GradientShards, GradientsThatLeaveAreWholeForAWhile) {
  const auto memory = [](const char* overlap) {
    return run_of(copies("2", kLarge, 4, overlap)).hybrid.stages.front().memory;
  };
  EXPECT_DOUBLE_EQ(memory("yes").gradients.value, 200e6);
  EXPECT_DOUBLE_EQ(memory("yes").fusion_buffers.value, 100e6);
  EXPECT_DOUBLE_EQ(memory("no").fusion_buffers.value, 800e6);
}

// Two stages of two copies: each of eight micro-batches scatters the gradients of all layers, and a
// note says so.
TEST(GradientShards, OfAPipelineScatterInEveryMicroBatch) {
  OwnedJob scenario = copies("2", kSmall, 4);
  scenario.options["pp"] = "2";
  const Plan plan = run_of(scenario).hybrid.plan;
  EXPECT_DOUBLE_EQ(scattered_bytes(plan), 8 * 8 * 10e6);
  EXPECT_EQ(std::ranges::count(plan.notes, "zero", &Note::subject), 1);
  OwnedJob once = copies("1", kSmall, 4);
  once.options["pp"] = "2";
  EXPECT_DOUBLE_EQ(scattered_bytes(run_of(once).hybrid.plan), 8 * 10e6);
  EXPECT_GE(step_ms(scenario), step_ms(once) - 1e-9);
}

TEST(GradientShards, AreRefusedWhereTwoStagesHoldAPart) {
  OwnedJob scenario = copies("2", kSmall, 4);
  scenario.schedule = "dualpipe";
  scenario.options["pp"] = "2";
  EXPECT_EQ(input_error_of([&] { run_of(scenario); }),
            "dualpipe: option zero: expected 0 or 1 where two stages hold each part");
}

// GPT of 22 billion parameters on 8 x 8 A100, 32 micro-batches a step, eight GPUs on the adapters
// of a node: 31 scatters more between 8 copies, of which 7/8 leave a rank.
TEST(GradientShards, OfAModelOverNodesPayTheNetworkInEveryMicroBatch) {
  const auto scenario = [](const char* zero) {
    OwnedJob made = transformer_scenario(
        "1f1b", {{"tp", "8"}, {"zero", zero}, {"global_batch", "256"}, {"overlap_gradients", "no"}},
        8);
    made.engine.fidelity = Fidelity::Analytic;
    return made;
  };
  const double sent = stage_parameters(run_of(scenario("2")).job, 0).dense * 2 * 7 / 8;
  const double once_ms = 1e3 * sent * 8 / node_link(scenario("2").cluster).bandwidth.value;
  EXPECT_GT(once_ms, 100);
  EXPECT_NEAR((step_ms(scenario("2")) - step_ms(scenario("1"))) / 31, once_ms, 0.02 * once_ms);
}

}  // namespace
}  // namespace stepcast
