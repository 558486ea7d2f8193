#include "sim/forecast/hybrid/hybrid_forecast.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/owned_job.hpp"
#include "tests/support/pass_orders.hpp"
#include "traces/catalog.hpp"
#include "traces/transformers.hpp"

namespace stepcast {
namespace {

// Eight layers of 1 ms forward and 2 ms backward, messages of no bytes.
OwnedJob plain_scenario(const char* pipeline, ScheduleOptions options) {
  OwnedJob scenario{.workload = examples::uniform_workload(8, Seconds{1e-3}, Seconds{2e-3}, 100),
                    .cluster = examples::plain_cluster(1, 4),
                    .schedule = pipeline,
                    .options = std::move(options)};
  scenario.options["pp"] = "4";
  scenario.options["global_batch"] = "8";
  scenario.engine.fidelity = Fidelity::Analytic;
  return scenario;
}

double step_ms(const OwnedJob& scenario) {
  return simulated(scenario).forecast.iteration_time.value * 1e3;
}

// (m + p - 1)(F + R) with stages of 2 ms and 4 ms; the norm of 4 bytes takes a nanosecond.
TEST(HybridForecast, EngineTakesThePipelinesFormulas) {
  EXPECT_NEAR(step_ms(plain_scenario("gpipe", {})), 11 * 6, 1e-4);
  EXPECT_NEAR(step_ms(plain_scenario("1f1b", {})), 11 * 6, 1e-4);
  EXPECT_NEAR(step_ms(plain_scenario("interleaved", {{"virtual_stages", "2"}})),
              8 * 6 + 3 * 6 / 2.0, 1e-4);
  EXPECT_NEAR(step_ms(plain_scenario("zb-h1", {})), 8 * 6 + 3 * 2, 1e-4);
  EXPECT_NEAR(step_ms(plain_scenario("zb-v", {})), 8 * 6 + 3 * 1, 1e-4);
}

TEST(HybridForecast, OrderOfTheUsersRunsAsItsFormula) {
  OwnedJob scenario = plain_scenario("pipeline", {});
  scenario.options.erase("global_batch");
  scenario.options["order"] = order_text(order_of("1f1b", 4, 8));
  EXPECT_NEAR(step_ms(scenario), 11 * 6, 1e-4);
}

/// Tensor parallelism of eight GPUs on passes of eight sequences, of a model loaded with `batch`.
Forecast passes_of_eight(std::uint32_t batch, ScheduleOptions options = {}) {
  options.insert({{"tp", "8"}, {"micro_batch", "8"}, {"global_batch", "64"}});
  OwnedJob scenario = transformer_scenario("1f1b", std::move(options), 1);
  scenario.workload = *find_transformer_model(
      fmt::format("transformer:model=gpt-1.7b,device=a100,batch={}", batch));
  scenario.engine.fidelity = Fidelity::Analytic;
  return simulated(scenario).forecast;
}

// Eight micro-batches of 24 ms on four stages in 66 ms: 8 x 24 / (4 x 66). The trace has times of
// one batch alone, which are those of any other: a pass of four times as many samples is no longer.
TEST(HybridForecast, EfficiencyIsThatOfPassesOfTheMicroBatch) {
  OwnedJob scenario = plain_scenario("gpipe", {});
  EXPECT_NEAR(simulated(scenario).forecast.scaling_efficiency, 8 * 24.0 / (4 * 66), 1e-5);
  const std::uint32_t micro_batch = 4 * scenario.workload.batch;
  scenario.options["micro_batch"] = std::to_string(micro_batch);
  scenario.options["global_batch"] = std::to_string(8 * micro_batch);
  const double pass = 24e-3 * forward_time(with_batch(scenario.workload, micro_batch)).value / 8e-3;
  const Forecast forecast = simulated(scenario).forecast;
  EXPECT_NEAR(forecast.scaling_efficiency, 8 * pass / (4 * forecast.iteration_time.value), 1e-5);
  EXPECT_LT(forecast.scaling_efficiency, 1);
}

// Times of a recorded rank are a tensor group's share of its layers: two ranks that compute 24 ms
// each of every micro-batch do what takes one GPU 48 ms.
TEST(HybridForecast, EfficiencyCountsAllRanksThatSharedARecordedLayer) {
  const auto efficiency = [](std::uint32_t tensor) {
    OwnedJob scenario = plain_scenario("gpipe", {});
    scenario.cluster = examples::plain_cluster(1, 4 * tensor);
    scenario.options.erase("pp");
    scenario.options["global_batch"] = std::to_string(8 * scenario.workload.batch);
    scenario.workload.pipeline = RecordedPipeline{.stages = 4,
                                                  .micro_batches = 8,
                                                  .tensor = tensor,
                                                  .schedule = "gpipe",
                                                  .parts = std::vector<RecordedPart>(8)};
    return simulated(scenario).forecast.scaling_efficiency;
  };
  EXPECT_NEAR(efficiency(1), 8 * 24.0 / (4 * 66), 1e-3);
  EXPECT_NEAR(efficiency(2), efficiency(1), 1e-3);
}

// One GPU would take eight passes of eight sequences. Eight times the pass of one sequence made it
// 127 % with shards that compute as well as the whole.
TEST(HybridForecast, EfficiencyDoesNotHangOnTheBatchThatTheModelWasLoadedWith) {
  const Forecast of_one = passes_of_eight(1);
  const Forecast of_eight = passes_of_eight(8);
  EXPECT_EQ(of_one.iteration_time, of_eight.iteration_time);
  EXPECT_DOUBLE_EQ(of_one.scaling_efficiency, of_eight.scaling_efficiency);
  const Workload whole = *find_transformer_model("transformer:model=gpt-1.7b,device=a100,batch=8");
  // Megatron-LM adds the gradients of every pass, the only one too, to the step's.
  const Seconds pass = forward_time(whole) + backward_time(with_accumulated_gradients(whole, 2));
  // Eight ranks of a tensor group update a share each, as long as all ranks do.
  const auto& others = of_one.breakdown.other_compute;
  const auto update = std::ranges::find(others, "update", &NamedTime::name);
  ASSERT_NE(update, others.end());
  EXPECT_NEAR(of_one.scaling_efficiency, (pass + update->time) / of_one.iteration_time, 1e-9);
  EXPECT_LT(of_one.scaling_efficiency, 1);
}

// A job of one GPU that updates nothing is its own reference, whatever its kernels take.
TEST(HybridForecast, EfficiencyCountsTheKernelsOfTheJob) {
  for (const ScheduleOptions& kernels :
       {ScheduleOptions{}, ScheduleOptions{{"attention_rate", "8"}},
        ScheduleOptions{{"elementwise_traffic", "0.05"}}}) {
    ScheduleOptions options = kernels;
    options.insert({{"optimiser_bytes", "0"}, {"accumulation_bytes", "0"}, {"micro_batch", "4"}});
    OwnedJob scenario = transformer_scenario("1f1b", std::move(options), 1);
    scenario.cluster.gpus_per_node = 1;
    scenario.cluster.software = {};
    EXPECT_NEAR(simulated(scenario).forecast.scaling_efficiency, 1, 1e-9);
  }
}

TEST(HybridForecast, StagesAddUpToTheStep) {
  const ScheduleRun result = simulated(plain_scenario("1f1b", {}));
  ASSERT_EQ(result.forecast.stages.size(), 4U);
  for (const StageForecast& stage : result.forecast.stages) {
    EXPECT_NEAR(stage.time.value, 48e-3, 1e-9);
    EXPECT_NEAR(stage.bubble.value, 18e-3, 1e-7);
  }
  EXPECT_EQ(result.forecast.stages[1].holds, "layer2 .. layer3");
  EXPECT_EQ(result.forecast.layout, "tp=1,pp=4,dp=1");
}

TEST(HybridForecast, FoldedEqualsUnfolded) {
  OwnedJob scenario = transformer_scenario(
      "interleaved",
      {{"tp", "2"}, {"pp", "4"}, {"zero", "1"}, {"global_batch", "32"}, {"shard", "2"}}, 4);
  const double folded = step_ms(scenario);
  scenario.engine.fold = false;
  EXPECT_DOUBLE_EQ(step_ms(scenario), folded);
}

// 2 + 2 + 12 bytes a parameter; ZeRO-1 2 + 2 + 12 / d, ZeRO-3 16 / d.
TEST(HybridForecast, ZeroSharesWhatItsStageSays) {
  const auto states = [](const char* zero) {
    const auto scenario =
        transformer_scenario("1f1b", {{"tp", "8"}, {"zero", zero}, {"recompute", "full"}}, 4);
    const HybridRun run =
        build_hybrid(scenario.info(), scenario.workload, scenario.cluster, scenario.options);
    const MemoryUse& use = run.hybrid.stages.front().memory;
    return (use.parameters + use.gradients + use.optimiser).value /
           stage_parameters(run.job, 0).dense;
  };
  EXPECT_NEAR(states("0"), 16, 1e-9);
  EXPECT_NEAR(states("1"), 4 + 12 / 4.0, 1e-9);
  EXPECT_NEAR(states("2"), 2 + 14 / 4.0, 1e-9);
  EXPECT_NEAR(states("3"), 16 / 4.0, 1e-9);
}

// Published for 22B on 8 A100: 1.42 s with full recomputation, 1.10 s with selective recomputation
// and sequence parallelism (Korthikanti et al., 2022, table 5): 29 % more.
TEST(HybridForecast, SelectiveRecomputationGainsWhatIsPublished) {
  const auto step = [](const char* recompute, const char* sequence_parallel) {
    return step_ms(transformer_scenario("1f1b",
                                        {{"tp", "8"},
                                         {"micro_batch", "4"},
                                         {"recompute", recompute},
                                         {"sequence_parallel", sequence_parallel}},
                                        1));
  };
  EXPECT_NEAR(step("full", "no") / step("selective", "yes"), 1.42 / 1.10, 0.15);
}

// Every block runs its forward pass a second time; embedding and head do not.
TEST(HybridForecast, WhatIsComputedAgainIsNoBackwardPass) {
  const auto parts_of = [](const char* schedule, const char* recompute) {
    return simulated(transformer_scenario(schedule,
                                          {{"tp", "8"}, {"pp", "4"}, {"recompute", recompute}}, 4))
        .forecast.breakdown;
  };
  for (const char* schedule : {"1f1b", "interleaved", "zb-h1", "zb-v"}) {
    const Breakdown usual = parts_of(schedule, "none");
    const Breakdown again = parts_of(schedule, "full");
    EXPECT_EQ(usual.recomputation, Seconds{}) << schedule;
    EXPECT_NEAR(again.backward.value, usual.backward.value, 1e-9) << schedule;
    EXPECT_GT(again.recomputation, usual.forward * 0.9) << schedule;
    EXPECT_LE(again.recomputation, usual.forward) << schedule;
  }
}

TEST(HybridForecast, InterleavingShortensAStepOfFewMicroBatches) {
  const ScheduleOptions options{{"tp", "8"}, {"pp", "4"}, {"global_batch", "8"}};
  EXPECT_LT(step_ms(transformer_scenario("interleaved", options, 4)),
            0.9 * step_ms(transformer_scenario("1f1b", options, 4)));
}

TEST(HybridForecast, MessagesInPiecesHideBesideProducts) {
  const auto step = [](const char* overlap) {
    return step_ms(transformer_scenario("1f1b", {{"tp", "8"}, {"tensor_overlap", overlap}}, 1));
  };
  EXPECT_LT(step("backward"), step("none"));
  EXPECT_LT(step("pieces"), step("backward"));
}

// Queries, keys, values and results, of 2 b s h / c bytes a rank, of which 1 - 1/c leaves: forward
// and backward.
TEST(HybridForecast, UlyssesSendsFourAllToAllsInEachPass) {
  const auto scenario =
      transformer_scenario("1f1b", {{"cp", "4"}, {"context_parallel", "ulysses"}}, 1);
  const HybridRun run =
      build_hybrid(scenario.info(), scenario.workload, scenario.cluster, scenario.options);
  const double activation = 2.0 * 2048 / 4 * 6144;
  EXPECT_NEAR(run.job.units[1].sent.value, 8 * activation * 3 / 4, 1);
}

TEST(HybridForecast, UlyssesNeedsAHeadForEachRank) {
  const auto scenario = transformer_scenario(
      "1f1b", {{"tp", "8"}, {"cp", "16"}, {"context_parallel", "ulysses"}}, 16);
  EXPECT_THROW(simulated(scenario), InputError);
}

TEST(HybridForecast, AStageCanComputeAgainWhatOthersKeep) {
  const auto stages_of = [](const char* by_stage) {
    ScheduleOptions options{{"tp", "8"}, {"pp", "4"}};
    if (*by_stage != 0)
      options["recompute"] = by_stage;
    return simulated(transformer_scenario("1f1b", options, 4)).forecast.stages;
  };
  const auto plain = stages_of("");
  const auto mixed = stages_of("full,none,none,none");
  EXPECT_LT(mixed[0].memory, plain[0].memory);
  EXPECT_GT(mixed[0].time, plain[0].time * 1.2);
  for (std::size_t stage = 1; stage < 4; ++stage) {
    EXPECT_EQ(mixed[stage].memory, plain[stage].memory);
    EXPECT_NEAR(mixed[stage].time.value, plain[stage].time.value, 1e-12);
  }
  EXPECT_THROW(stages_of("full,none"), InputError);
  EXPECT_THROW(stages_of("full,none,none,some"), InputError);
}

// The first stage holds four micro-batches and the embedding: where it has little room, layers move
// to those behind it.
TEST(HybridForecast, TheBestPartitionKeepsToTheMemoryOfTheDevice) {
  OwnedJob scenario = transformer_scenario(
      "1f1b", {{"tp", "8"}, {"pp", "4"}, {"global_batch", "16"}, {"partition", "best"}}, 4);
  const auto fullest = [&] {
    Bytes most{};
    for (const StageForecast& stage : simulated(scenario).forecast.stages)
      most = std::max(most, stage.memory);
    return most;
  };
  const Bytes free_choice = fullest();
  scenario.cluster.device.memory = free_choice * 0.9;
  EXPECT_LE(fullest(), scenario.cluster.device.memory);
}

// 22e9 parameters: copies that share optimiser state alone still need more than 80 GiB.
TEST(HybridForecast, WhatDoesNotFitSaysWhatWouldHelp) {
  const ScheduleRun result = simulated(transformer_scenario("1f1b", {}, 2));
  const auto& notes = result.forecast.notes;
  EXPECT_TRUE(std::ranges::any_of(notes, [](const Note& note) {
    return note.text.starts_with("What would make it fit: ") &&
           note.text.find("tp=8 (") != std::string::npos &&
           note.text.find("zero=1") == std::string::npos;
  }));
}

TEST(HybridForecast, TensorGroupsAcrossNodesAreNoted) {
  const ScheduleRun result = simulated(transformer_scenario("1f1b", {{"tp", "16"}}, 2));
  EXPECT_TRUE(std::ranges::any_of(result.forecast.notes, [](const Note& note) {
    return note.text.starts_with("Tensor groups of 16 cross nodes");
  }));
}

// The first is longer where the search begins at the lightest parts alone, the second where only
// the passes are looked at, without the updates behind them.
TEST(HybridForecast, TheBestPartitionIsNoLongerThanTheOthers) {
  struct Case {
    const char* model;
    const char* pipeline;
    ScheduleOptions options;
  };
  for (const Case& each : {Case{"gpt-7.5b", "interleaved", {{"global_batch", "128"}}},
                           Case{"gpt-3.6b", "1f1b", {{"global_batch", "64"}}}}) {
    const auto step_with = [&](const char* partition) {
      OwnedJob scenario = transformer_scenario(each.pipeline, each.options, 4);
      scenario.workload =
          *find_transformer_model(fmt::format("transformer:model={},device=a100", each.model));
      scenario.options.insert(
          {{"tp", "2"}, {"pp", "8"}, {"micro_batch", "1"}, {"partition", partition}});
      scenario.engine.fidelity = Fidelity::Analytic;
      return step_ms(scenario);
    };
    const double best = step_with("best");
    EXPECT_LE(best, step_with("equal") * (1 + 1e-9)) << each.model;
    EXPECT_LE(best, step_with("time") * (1 + 1e-9)) << each.model;
  }
}

// 48 blocks over stages at speeds 1 : 2 : 2 : 2 take 48 / 7 of them twice as long, not 12.
TEST(HybridForecast, TheBestPartitionKnowsSlowRanks) {
  const auto step_with = [](const char* partition) {
    OwnedJob scenario = transformer_scenario(
        "1f1b", {{"tp", "8"}, {"pp", "4"}, {"global_batch", "64"}, {"partition", partition}}, 4);
    scenario.engine.stragglers[0] = 2;
    return step_ms(scenario);
  };
  EXPECT_NEAR(step_with("best") / step_with("equal"), 48.0 / 7 / 12, 0.07);
  EXPECT_NEAR(step_with("time") / step_with("equal"), 48.0 / 7 / 12, 0.09);
}

}  // namespace
}  // namespace stepcast
