// Messages of jobs that cut the model: compressed by kind, over links of their own, in both
// directions, among neighbours.
#include <gtest/gtest.h>

#include "sim/forecast/hybrid/hybrid_forecast.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/input_error.hpp"
#include "tests/support/owned_job.hpp"
#include "traces/catalog.hpp"
#include "traces/transformers.hpp"

namespace stepcast {
namespace {

// Eight layers of 1 ms forward and 2 ms backward whose outputs have 1 MB; pp = 4: F = 2 ms, R = 4
// ms.
OwnedJob plain(const char* pipeline, const ScheduleOptions& options, std::uint32_t gpus = 4) {
  OwnedJob scenario{
      .workload = examples::uniform_workload(8, Seconds{1e-3}, Seconds{2e-3}, 250'000),
      .cluster = examples::plain_cluster(1, gpus),
      .schedule = pipeline,
      .options = {{"pp", "4"}, {"global_batch", "8"}, {"norm_barrier", "no"}}};
  for (Layer& layer : scenario.workload.layers)
    layer.activation = Bytes{1e6};
  for (const auto& [name, value] : options)
    scenario.options[name] = value;
  scenario.engine.fidelity = Fidelity::Analytic;
  return scenario;
}

double step_ms(const OwnedJob& scenario) {
  return simulated(scenario).forecast.iteration_time.value * 1e3;
}

std::string refusal(const OwnedJob& scenario) {
  return input_error_of([&] { simulated(scenario); });
}

// 1 MB at 8 Gb/s is 1 ms. A message that is longer than a pair of passes sets the pace.
TEST(StageLinks, PeriodIsTheLongestOfStagesAndEdges) {
  const auto step = [](const char* links, const char* batch) {
    return step_ms(plain("gpipe", {{"stage_links", links}, {"global_batch", batch}}));
  };
  // Nine ms a message where F takes two: m more of them are m x 9 ms more of a forward phase, and
  // of a backward phase whose R takes four.
  const double slow =
      step("8Gbps,0.888889Gbps,8Gbps", "32") - step("8Gbps,0.888889Gbps,8Gbps", "24");
  EXPECT_NEAR(slow, 8 * (9 + 9), 0.01);
  const double fast = step("8Gbps,8Gbps,8Gbps", "32") - step("8Gbps,8Gbps,8Gbps", "24");
  EXPECT_NEAR(fast, 8 * (2 + 4), 0.01);
}

TEST(StageLinks, StartUpIsPaidByEachMessage) {
  // GPipe: the first forward and the last backward pass cross three links each.
  const double without = step_ms(plain("gpipe", {{"stage_links", "8Gbps,8Gbps,8Gbps"}}));
  const double with = step_ms(plain("gpipe", {{"stage_links", "8Gbps/1ms,8Gbps,8Gbps/1ms"}}));
  EXPECT_NEAR(with - without, 2 * 2, 1e-6);
}

// The link carries the next message meanwhile: more micro-batches take the longest pass each, as
// without, though a start-up is longer than that.
TEST(StageLinks, StartUpsDelayNoOtherMessage) {
  const auto more = [](const char* links) {
    const auto step = [&](const char* batch) {
      return step_ms(plain("gpipe", {{"stage_links", links}, {"global_batch", batch}}));
    };
    return step("32") - step("24");
  };
  EXPECT_NEAR(more("8Gbps/40ms,8Gbps/40ms,8Gbps/40ms"), 8 * (2 + 4), 0.01);
  EXPECT_NEAR(more("8Gbps/40ms,0.888889Gbps/40ms,8Gbps"), 8 * (9 + 9), 0.01);
}

// The same of a cluster's own links at every fidelity: a stream in order waited for each start-up,
// so that a pipeline over lines of 40 ms took 40 ms a message.
TEST(StageLinks, StartUpsOfAClustersLinksDelayNoOtherMessage) {
  for (const Fidelity fidelity : {Fidelity::Analytic, Fidelity::Flow, Fidelity::Step}) {
    const auto step = [&](const char* batch, Seconds startup) {
      OwnedJob scenario = plain("gpipe", {{"global_batch", batch}});
      scenario.cluster.intra_node = {.bandwidth = BytesPerSecond{1e9}, .startup = startup};
      scenario.engine.fidelity = fidelity;
      return step_ms(scenario);
    };
    EXPECT_NEAR(step("32", Seconds{40e-3}) - step("24", Seconds{40e-3}), 8 * (2 + 4), 0.01);
    // The first forward and the last backward pass cross three links each.
    EXPECT_NEAR(step("32", Seconds{40e-3}) - step("32", Seconds{}), 6 * 40, 0.01);
  }
}

TEST(StageLinks, AdaptiveRatiosCompressTheSlowestMost) {
  const auto scenario = plain("1f1b", {{"stage_links", "80Gbps,800Mbps,1600Mbps"},
                                       {"pp_ratio", "10"},
                                       {"stage_ratios", "adaptive"}});
  const HybridRun run =
      build_hybrid(scenario.info(), scenario.workload, scenario.cluster, scenario.options);
  EXPECT_EQ(run.job.links[0].ratio, 1);  // 10 x 0.1 ms / 10 ms would be less
  EXPECT_DOUBLE_EQ(run.job.links[1].ratio, 10);
  EXPECT_DOUBLE_EQ(run.job.links[2].ratio, 5);
}

TEST(StageLinks, AreRefusedWhereTheyMeanNothing) {
  EXPECT_EQ(refusal(plain("1f1b", {{"stage_links", "1Gbps"}})),
            "1f1b: option stage_links: expected a bandwidth, such as 100Mbps or 100Mbps/40ms, for "
            "each of 3 links between stages, found 1");
  EXPECT_EQ(refusal(plain("1f1b", {{"stage_ratios", "adaptive"}})),
            "1f1b: option stage_ratios: expected stage_links beside it");
  EXPECT_EQ(
      refusal(plain("zb-v", {{"stage_links", "1Gbps,1Gbps,1Gbps"}})),
      "zb-v: option stage_links: expected a schedule with one part of the model on each rank");
}

// Both ends of a message pack or unpack 1 MB at 1 GB/s: 1 ms. GPipe's first stage does so once for
// each pass, the others twice.
TEST(Compression, BetweenStagesTakesItsCodec) {
  const auto scenario = plain("gpipe", {{"pp_ratio", "100"}, {"pp_codec", "1"}});
  const auto stages = simulated(scenario).forecast.stages;
  EXPECT_NEAR(stages[0].time.value, 48e-3 + 8 * 2e-3, 1e-9);
  EXPECT_NEAR(stages[1].time.value, 48e-3 + 8 * 4e-3, 1e-9);
}

// Four copies on nodes of their own: 2 x 3/4 x 8 MB at 1 GB/s behind the last pass, packed and
// unpacked at 2 GB/s.
TEST(Compression, OfGradientsTakesRatioAndCodec) {
  const auto step = [](const ScheduleOptions& options) {
    OwnedJob scenario = plain("1f1b", options);
    scenario.cluster = examples::plain_cluster(4);
    scenario.options["pp"] = "1";
    scenario.options["global_batch"] = "4";
    scenario.options["overlap_gradients"] = "no";
    return step_ms(scenario);
  };
  EXPECT_NEAR(step({}), 24 + 12, 1e-6);
  EXPECT_NEAR(step({{"dp_ratio", "4"}}), 24 + 3, 1e-6);
  EXPECT_NEAR(step({{"dp_ratio", "4"}, {"dp_codec", "2"}}), 24 + 3 + 8, 1e-6);
  EXPECT_NEAR(step({{"dp_ratio", "4"}, {"dp_codec", "2"}, {"compressed_sums", "hops"}}),
              24 + 3 + 4 * 2.5, 1e-6);
}

TEST(Compression, InTensorGroupsSendsLess) {
  const auto wait = [](const ScheduleOptions& options) {
    const auto scenario = transformer_scenario("1f1b", options, 1);
    const HybridRun run =
        build_hybrid(scenario.info(), scenario.workload, scenario.cluster, scenario.options);
    return run.job.units[1];
  };
  const ModelUnit plain = wait({{"tp", "8"}});
  const ModelUnit packed = wait({{"tp", "8"}, {"tp_ratio", "4"}});
  EXPECT_NEAR(packed.sent / plain.sent, 0.25, 1e-12);
  EXPECT_LT(packed.forward_wait, plain.forward_wait);
  // Two all-reduces of 2 b s h bytes, packed and unpacked at 100 GB/s each.
  const ModelUnit slow = wait({{"tp", "8"}, {"tp_ratio", "4"}, {"tp_codec", "100"}});
  EXPECT_NEAR((slow.forward_wait - packed.forward_wait).value, 2 * 2 * 2.0 * 2048 * 6144 / 100e9,
              1e-12);
}

// FSDP on 4 nodes of 8: parameters shared by the 8 of a node, 16/8 bytes a parameter, and only an
// eighth of the gradients crosses nodes.
TEST(HybridSharding, SharesInsideNodesAndAddsBetweenThem) {
  const auto result = [](const char* shard) {
    return simulated(
        transformer_scenario("1f1b", {{"zero", "3"}, {"recompute", "full"}, {"shard", shard}}, 4));
  };
  const ScheduleRun in_nodes = result("8"), by_all = result("auto");
  const MemoryUse& use = in_nodes.forecast.memory;
  const MemoryUse& least = by_all.forecast.memory;
  EXPECT_NEAR((use.parameters + use.gradients + use.optimiser) /
                  (least.parameters + least.gradients + least.optimiser),
              4, 1e-9);
  const auto all_reduced = [](const Plan& plan) {
    Bytes sum{};
    for (const PlannedCollective& planned : plan.collectives)
      if (planned.collective.kind == CollectiveKind::AllReduce)
        sum += planned.collective.size;
    return sum;
  };
  const auto scattered = [](const Plan& plan) {
    Bytes sum{};
    for (const PlannedCollective& planned : plan.collectives)
      if (planned.collective.kind == CollectiveKind::ReduceScatter)
        sum += planned.collective.size;
    return sum;
  };
  // The norm is 4 bytes.
  EXPECT_NEAR((all_reduced(in_nodes.plan) - Bytes{4}) / scattered(in_nodes.plan), 1 / 8.0, 1e-9);
  EXPECT_EQ(all_reduced(by_all.plan), Bytes{4});
  EXPECT_EQ(refusal(transformer_scenario("1f1b", {{"zero", "2"}, {"shard", "8"}}, 4)),
            "1f1b: option shard: expected zero=1 or zero=3 beside it");
  EXPECT_EQ(refusal(transformer_scenario("1f1b", {{"shard", "8"}}, 4)),
            "1f1b: option shard: expected zero=1 or zero=3 beside it");
}

// m (F + R) + (p/2 - 1)(FR + R - 3W), messages of no bytes; W is half of R.
TEST(DualPipe, RunsAsItsFormula) {
  auto scenario = plain("dualpipe", {});
  for (Layer& layer : scenario.workload.layers)
    layer.activation = {};
  // Gradients of a stage and its mirror image, 2 MB each, are added up: 4 MB at 10 GB/s.
  EXPECT_NEAR(step_ms(scenario), 8 * 6 + (6 + 4 - 3 * 2) + 0.4, 1e-3);
}

TEST(DualPipe, HoldsParametersTwiceAndSharesOptimiserAmongCopies) {
  const auto memory = [](const char* pipeline) {
    return simulated(
               transformer_scenario(
                   pipeline, {{"tp", "8"}, {"pp", "4"}, {"global_batch", "16"}, {"zero", "1"}}, 8))
        .forecast;
  };
  const Forecast dual = memory("dualpipe"), usual = memory("1f1b");
  EXPECT_NEAR(dual.stages[1].memory / usual.stages[1].memory, 1.8, 0.3);
  EXPECT_EQ(refusal(transformer_scenario("dualpipe", {{"tp", "8"}, {"pp", "4"}, {"zero", "3"}}, 8)),
            "dualpipe: option zero: expected 0 or 1 where two stages hold each part");
}

TEST(DualPipe, FoldedEqualsUnfolded) {
  auto scenario =
      transformer_scenario("dualpipe", {{"tp", "4"}, {"pp", "4"}, {"global_batch", "16"}}, 4);
  const double folded = step_ms(scenario);
  scenario.engine.fold = false;
  EXPECT_DOUBLE_EQ(step_ms(scenario), folded);
}

}  // namespace
}  // namespace stepcast
