#include "sim/study/edits/plan_options.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/schedule/registry.hpp"
#include "sim/study/edits/pipeline_options.hpp"
#include "tests/support/hybrid_scenario.hpp"
#include "tests/support/input_error.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

Scenario scenario_with(const std::string& workload, const std::string& schedule) {
  return scenario_of({.workload = workload,
                      .cluster = "rtx2080ti-16x4-10gbe",
                      .schedules = {schedule},
                      .fidelity = "analytic"});
}

Seconds step_with(const Scenario& scenario, const std::string& schedule) {
  return simulate(planned(scenario, schedule).plan, scenario.cluster, scenario.engine)
      .mean_iteration_time();
}

/// Tensors of 64 KiB to 11 MiB.
Workload few_tensors() {
  Workload workload{.name = "few"};
  for (std::size_t i = 0; i < 8; ++i)
    workload.layers.push_back({.name = "layer" + std::to_string(i),
                               .kind = "Linear",
                               .forward = Seconds{0.004},
                               .backward = Seconds{0.008},
                               .parameters = {{"weight", 16'000 + 700'000 * (i * 7 % 5)}}});
  return workload;
}

// Partitions of BytePS are 4 MB and servers take them as they arrive. Smaller ones travel while
// others are added up, and those that the next forward pass needs first go first (P3).
TEST(PlanOptionsTest, ServersGainBySlicesAndPriorities) {
  for (const char* workload : {"resnet50-rtx2080ti-bs64", "densenet201-rtx2080ti-bs32"}) {
    EditedStep result;
    const Scenario best = with_best_options(scenario_with(workload, "ps"), "ps", {}, result);
    EXPECT_GT(result.step_before / result.step_after, 1.05) << workload;
    EXPECT_NEAR(step_with(best, "ps").value, result.step_after.value, 1e-12) << workload;
    Seconds gains{};
    for (const AcceptedEdit& edit : result.accepted)
      gains += edit.gain;
    EXPECT_NEAR(gains.value, (result.step_before - result.step_after).value, 1e-9) << workload;
  }
}

TEST(PlanOptionsTest, AllReducesGainByBuckets) {
  EditedStep result;
  with_best_options(scenario_with("bert-base-rtx2080ti-bs64", "ddp"), "ddp", {}, result);
  EXPECT_LT(result.step_after, result.step_before);
}

// All 11 x 11 sizes in either order.
TEST(PlanOptionsTest, ServersAreWithinTwoPercentOfTheBestOfAll) {
  Scenario scenario = scenario_with("resnet50-rtx2080ti-bs64", "ps");
  scenario.workload = few_tensors();
  Seconds best{1e9};
  for (double partition = 64; partition <= 65536; partition *= 2)
    for (double fuse = 64; fuse <= 65536; fuse *= 2)
      for (const char* order : {"arrival", "priority"}) {
        Scenario other = scenario;
        other.settings.schedule = {{"partition", fmt::format("{}KiB", partition)},
                                   {"fuse", fmt::format("{}KiB", fuse)},
                                   {"order", order}};
        best = std::min(best, step_with(other, "ps"));
      }
  EditedStep result;
  with_best_options(scenario, "ps", {}, result);
  EXPECT_LE(result.step_after.value, 1.02 * best.value);
}

TEST(PlanOptionsTest, WhatTheUserGaveStays) {
  Scenario scenario = scenario_with("resnet50-rtx2080ti-bs64", "ps");
  scenario.workload = few_tensors();
  scenario.settings.schedule = {{"partition", "3MiB"}, {"order", "arrival"}};
  EditedStep result;
  const Scenario best = with_best_options(scenario, "ps", {}, result);
  EXPECT_EQ(best.settings.schedule.at("partition"), "3MiB");
  EXPECT_EQ(best.settings.schedule.at("order"), "arrival");
}

// On V100s at 100 Gb/s halving and doubling would be .12 ms shorter.
TEST(PlanOptionsTest, TheLibraryKeepsItsAlgorithm) {
  EditedStep result;
  Scenario scenario = scenario_with("resnet50-v100-bs32", "horovod");
  scenario.cluster = load_cluster("v100-32x4-edr");
  const Scenario best = with_best_options(scenario, "horovod", {}, result);
  EXPECT_FALSE(best.settings.schedule.contains("algorithm"));
}

TEST(PlanOptionsTest, CompressedGradientsKeepTheirs) {
  EditedStep result;
  const char* schedule = "topk-allgather";
  with_best_options(scenario_with("resnet50-rtx2080ti-bs64", schedule), schedule, {}, result);
  EXPECT_TRUE(result.accepted.empty());
}

HybridScenario pipeline_of(ScheduleOptions options) {
  options.insert({{"tp", "8"}, {"pp", "4"}});
  HybridScenario scenario = transformer_scenario("1f1b", std::move(options), 8);
  scenario.engine.fidelity = Fidelity::Analytic;
  return scenario;
}

HybridRun run_of(const HybridScenario& scenario) {
  return build_hybrid(*scenario.pipeline, scenario.model, scenario.cluster, scenario.options);
}

double analytic_step(const HybridScenario& scenario) {
  return simulate(run_of(scenario).hybrid.plan, scenario.cluster, scenario.engine)
      .mean_iteration_time()
      .value;
}

// Of as many samples, on the same layout, and what it says is what the plan takes.
TEST(PlanOptionsTest, PipelinesGainByOptionsThatTrainTheSame) {
  const HybridScenario scenario = pipeline_of({{"recompute", "full"}});
  EditedStep result;
  const HybridScenario best = with_best_options(scenario, {}, result);
  EXPECT_LT(result.step_after.value, 0.97 * result.step_before.value);
  EXPECT_NEAR(result.step_after.value, analytic_step(best), 1e-12);
  EXPECT_NEAR(result.step_before.value, analytic_step(scenario), 1e-12);
  EXPECT_EQ(best.options.at("recompute"), "full");
  EXPECT_EQ(run_of(best).job.global_batch(), run_of(scenario).job.global_batch());
  EXPECT_EQ(run_of(best).hybrid.layout, run_of(scenario).hybrid.layout);
  for (const char* changed : {"gradient_bytes", "dp_ratio", "optimiser"})
    EXPECT_FALSE(best.options.contains(changed)) << changed;
}

// A batch norm would tell micro-batches apart.
TEST(PlanOptionsTest, MicroBatchesOfOtherModelsStay) {
  HybridScenario scenario = pipeline_of({});
  scenario.model = {.workload = load_workload("resnet50-v100-bs32")};
  scenario.options.erase("tp");
  EditedStep result;
  EXPECT_FALSE(with_best_options(scenario, {}, result).options.contains("micro_batch"));
}

TEST(PlanOptionsTest, PipelinesFitIntoMemory) {
  const HybridScenario scenario = pipeline_of({});
  const Bytes before = run_of(scenario).hybrid.plan.memory.total();
  const FittedPipeline fitted = fitted_pipeline(scenario, before * 0.5);
  EXPECT_EQ(fitted.before, before);
  EXPECT_EQ(fitted.after, run_of(fitted.scenario).hybrid.plan.memory.total());
  EXPECT_LE(fitted.after, before * 0.5);
  EXPECT_NEAR(fitted.step.value, analytic_step(scenario), 1e-12);
  EXPECT_FALSE(fitted.change.empty());
  EditedStep result;
  EXPECT_LE(
      run_of(with_best_options(fitted.scenario, before * 0.5, result)).hybrid.plan.memory.total(),
      before * 0.5);
  EXPECT_EQ(fitted_pipeline(scenario, before).change, "");
  EXPECT_EQ(input_error_of([&] { fitted_pipeline(scenario, Bytes{1e9}); }).substr(0, 34),
            "`memory`: 953.7 MiB is not enough:");
}

}  // namespace
}  // namespace stepcast
