// Updated parameters come back block by block, beside the next step's first passes.
#include <gtest/gtest.h>

#include "sim/forecast/hybrid/hybrid_forecast.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/input_error.hpp"
#include "tests/support/owned_job.hpp"

namespace stepcast {
namespace {

constexpr std::uint32_t kSmall = 2'500'000;   // elements: 10 MB, scattered over 4 in 0.75 ms
constexpr std::uint32_t kLarge = 25'000'000;  // 7.5 ms

// Eight layers of 1 ms forward and 2 ms backward on 4 copies; 10 GB/s inside the node.
OwnedJob copies(std::uint32_t elements, const char* zero, const char* updated) {
  OwnedJob scenario{
      .workload = examples::uniform_workload(8, Seconds{1e-3}, Seconds{2e-3}, elements),
      .cluster = examples::plain_cluster(1, 4),
      .schedule = "1f1b",
      .options = {{"zero", zero},
                  {"updated", updated},
                  {"norm_barrier", "no"},
                  {"bucket", "0B"},
                  {"micro_batch", "1"},
                  {"global_batch", "4"}}};
  scenario.engine.fidelity = Fidelity::Analytic;
  return scenario;
}

double step_ms(const OwnedJob& scenario) {
  return simulated(scenario).forecast.iteration_time.value * 1e3;
}

// The first gather is bare, and the last scatter; where the network decides, the first backward
// and the last forward pass are.
TEST(OverlappedGathers, GathersHideBesideTheNextForwardPass) {
  EXPECT_NEAR(step_ms(copies(kSmall, "1", "next-forward")), 8 + 16 + 2 * 0.75, 1e-6);
  EXPECT_NEAR(step_ms(copies(kLarge, "1", "next-forward")), 16 * 7.5 + 1 + 2, 1e-6);
  EXPECT_NEAR(step_ms(copies(kSmall, "1", "all-gather")), 8 + 16 + 9 * 0.75, 1e-6);
}

// Layers of 10 MB in buckets of 25 MiB: three at a time, the last two by themselves. An all-reduce
// takes 1.5 ms a layer. The second one begins at 20 ms and ends at 24.5, half a millisecond after
// the pass, and the last one follows.
TEST(StageBuckets, GradientsOfLayersLeaveTogether) {
  OwnedJob scenario = copies(kSmall, "0", "all-gather");
  scenario.options["bucket"] = "auto";
  EXPECT_NEAR(step_ms(scenario), 8 + 16 + 0.5 + 2 * 1.5, 1e-6);
  const HybridRun run =
      build_hybrid(scenario.info(), scenario.workload, scenario.cluster, scenario.options);
  std::vector<std::string> names;
  for (const StageBucket& bucket : stage_buckets(run.job, 0))
    names.push_back(bucket.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"layer7 .. layer5", "layer4 .. layer2", "layer1 .. layer0"}));
  scenario.options["bucket"] = "0B";
  EXPECT_NEAR(step_ms(scenario), 8 + 16 + 1.5, 1e-6);
}

// 22 billion parameters on 8 x 8 A100: each of two stages' blocks are gathered among four copies.
TEST(OverlappedGathers, OfAPipelineSendWhatTheOthersDoAndTakeLess) {
  for (const char* schedule : {"1f1b", "interleaved"}) {
    const auto run = [&](const char* updated) {
      OwnedJob made = transformer_scenario(schedule,
                                           {{"tp", "8"},
                                            {"pp", "2"},
                                            {"zero", "1"},
                                            {"global_batch", "64"},
                                            {"recompute", "full"},
                                            {"updated", updated}},
                                           8);
      made.engine.fidelity = Fidelity::Analytic;
      return made;
    };
    const auto gathered = [&](const char* updated) {
      double sum = 0;
      const OwnedJob made = run(updated);
      for (const PlannedCollective& planned :
           build_hybrid(made.info(), made.workload, made.cluster, made.options)
               .hybrid.plan.collectives)
        if (planned.collective.kind == CollectiveKind::AllGather)
          sum += planned.collective.size.value;
      return sum;
    };
    EXPECT_NEAR(gathered("next-forward") / gathered("all-gather"), 1, 1e-12) << schedule;
    EXPECT_LT(step_ms(run("next-forward")), step_ms(run("all-gather"))) << schedule;
  }
}

TEST(OverlappedGathers, AreRefusedWhereTwoStagesHoldAPart) {
  OwnedJob scenario = copies(kSmall, "1", "next-forward");
  scenario.schedule = "dualpipe";
  scenario.options["pp"] = "2";
  scenario.options["global_batch"] = "8";
  EXPECT_EQ(input_error_of([&] {
              build_hybrid(scenario.info(), scenario.workload, scenario.cluster, scenario.options);
            }),
            "dualpipe: option updated: expected all-gather where two stages hold each part");
}

}  // namespace
}  // namespace stepcast
