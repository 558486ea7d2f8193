// Options that are found for plans of pipelines, to fit and to be faster.
#include <csignal>

#include <gtest/gtest.h>

#include "sim/engine/steps.hpp"
#include "sim/search/options/pipeline_fit.hpp"
#include "sim/search/options/pipeline_options.hpp"
#include "sim/search/options/schedule_edits.hpp"
#include "sim/search/plan/plan_bound.hpp"
#include "sim/workers/stop.hpp"
#include "tests/support/input_error.hpp"
#include "tests/support/owned_job.hpp"

namespace stepcast {
namespace {

constexpr double kGiB = 1073741824;

/// 64 GPUs in groups of eight, four stages.
OwnedJob pipeline_of(ScheduleOptions options, const char* schedule = "1f1b") {
  options.insert({{"tp", "8"}, {"pp", "4"}});
  OwnedJob scenario = transformer_scenario(schedule, std::move(options), 8);
  scenario.engine.fidelity = Fidelity::Analytic;
  return scenario;
}

HybridRun run_of(const OwnedJob& scenario) {
  return build_hybrid(scenario.info(), scenario.workload, scenario.cluster, scenario.options);
}

double memory_of(const OwnedJob& scenario) {
  return run_of(scenario).hybrid.plan.memory.total().value;
}

double step_of(const OwnedJob& scenario) {
  return step_time_of(run_of(scenario).hybrid.plan, scenario.cluster, scenario.engine).value;
}

/// With the options that are found for it.
OwnedJob with_found(OwnedJob scenario, Bytes asked, bool search, EditedStep& result) {
  scenario.options = with_found_options(scenario, asked, search, result).options;
  return scenario;
}

/// As `run` does that is told the options found.
OwnedJob as_told(OwnedJob scenario, const EditedStep& result) {
  for (const auto& [name, value] : result.options)
    scenario.options[name] = value;
  return scenario;
}

// On the same layout, and what it says is what the plan takes.
TEST(FoundOptionsTest, PipelinesGainByOptionsThatTrainTheSame) {
  const OwnedJob scenario = pipeline_of({{"recompute", "full"}});
  EditedStep result;
  const OwnedJob best = with_found(scenario, {}, true, result);
  EXPECT_LT(result.step_after.value, 0.97 * result.step_before.value);
  EXPECT_NEAR(result.step_after.value, step_of(best), 1e-12);
  EXPECT_NEAR(result.step_before.value, step_of(scenario), 1e-12);
  EXPECT_EQ(best.options.at("recompute"), "full");
  EXPECT_EQ(run_of(best).hybrid.layout, run_of(scenario).hybrid.layout);
  for (const char* changed : {"gradient_bytes", "dp_ratio", "optimiser"})
    EXPECT_FALSE(best.options.contains(changed)) << changed;
}

// A user's order has its number of micro-batches: others would be other samples.
TEST(FoundOptionsTest, StepsKeepTheirSamples) {
  for (const char* schedule :
       {"gpipe", "1f1b", "interleaved", "zb-h1", "zb-h2", "zb-v", "dualpipe", "pipeline"}) {
    OwnedJob scenario = pipeline_of({}, schedule);
    scenario.workload = *find_transformer_model("transformer:model=gpt-22b,device=a100,batch=4");
    scenario.options["pp"] = "2";
    if (scenario.info().passes.of_user)
      scenario.options["order"] = "F0 F1 F2 F3 B0 B1 B2 B3\nF0 F1 F2 F3 B0 B1 B2 B3";
    for (const double budget : {0.0, 0.5}) {
      EditedStep result;
      with_found_options(scenario, Bytes{memory_of(scenario) * budget}, true, result);
      const OwnedJob told = as_told(scenario, result);
      EXPECT_EQ(run_of(told).job.global_batch(), run_of(scenario).job.global_batch()) << schedule;
      EXPECT_NEAR(step_of(told), result.step_after.value, 1e-12) << schedule;
    }
  }
}

// Whose samples would follow from micro_batch.
TEST(FoundOptionsTest, AnotherMicroBatchTellsTheSamplesOfAStep) {
  const OwnedJob scenario = pipeline_of({{"zero", "1"}}, "interleaved");
  EditedStep result;
  with_found_options(scenario, {}, true, result);
  ASSERT_TRUE(result.options.contains("micro_batch"));
  EXPECT_EQ(result.options.at("global_batch"), std::to_string(run_of(scenario).job.global_batch()));
  bool told = false;
  for (const AcceptedEdit& edit : result.accepted)
    told = told || edit.text.find("(global_batch=") != std::string::npos;
  EXPECT_TRUE(told);
}

// A batch norm would tell micro-batches apart.
TEST(FoundOptionsTest, MicroBatchesOfOtherModelsStay) {
  OwnedJob scenario = pipeline_of({});
  scenario.workload = load_workload("resnet50-v100-bs32");
  scenario.options.erase("tp");
  EditedStep result;
  with_found_options(scenario, {}, true, result);
  EXPECT_FALSE(result.options.contains("micro_batch"));
}

struct StepAndMemory {
  double step = 0, memory = 0;
};

std::vector<StepAndMemory> all_of(const OwnedJob& scenario) {
  std::vector<StepAndMemory> all;
  for (const char* recompute : {"none", "selective", "full"})
    for (const char* zero : {"0", "1", "3"})
      for (const char* sequence_parallel : {"no", "yes"})
        for (const char* micro_batch : {"1", "2", "4", "8", "16"}) {
          OwnedJob other = scenario;
          other.options.insert({{"recompute", recompute},
                                {"zero", zero},
                                {"sequence_parallel", sequence_parallel},
                                {"micro_batch", micro_batch}});
          all.push_back({step_of(other), memory_of(other)});
        }
  return all;
}

// Of 90 combinations, each of which is simulated here.
TEST(FoundOptionsTest, WhatFitsIsTheBestOfAllThatFit) {
  const OwnedJob scenario =
      pipeline_of({{"global_batch", "32"}, {"partition", "equal"}, {"warm_up", "usual"}});
  const std::vector<StepAndMemory> all = all_of(scenario);
  for (const double budget : {8.0, 12.0, 17.0, 20.0, 21.0, 25.0}) {
    double best = 1e9;
    for (const StepAndMemory& each : all)
      if (each.memory <= budget * kGiB)
        best = std::min(best, each.step);
    EditedStep result;
    const OwnedJob found = with_found(scenario, Bytes{budget * kGiB}, true, result);
    EXPECT_LE(memory_of(found), budget * kGiB) << budget;
    EXPECT_LE(step_of(found), 1.002 * best) << budget;
    EXPECT_LT(result.simulated, 45U) << budget;
  }
}

// With sequence parallelism alone, beside recomputation and shared states, it does.
TEST(FoundOptionsTest, WhatFitsIsNotRefused) {
  OwnedJob scenario = pipeline_of({}, "dualpipe");
  scenario.options["tp"] = "4";
  scenario.options["pp"] = "2";
  EditedStep result;
  const OwnedJob found = with_found(scenario, Bytes{30 * kGiB}, false, result);
  EXPECT_LE(memory_of(found), 30 * kGiB);
  EXPECT_EQ(result.options.at("sequence_parallel"), "yes");
}

TEST(FoundOptionsTest, WhatCannotFitSaysWhatWouldHelp) {
  EditedStep result;
  OwnedJob scenario = pipeline_of({{"zero", "1"}, {"micro_batch", "1"}});
  const std::string error =
      input_error_of([&] { with_found_options(scenario, Bytes{1e9}, true, result); });
  EXPECT_EQ(error.substr(0, 34), "`memory`: 953.7 MiB is not enough:");
  EXPECT_NE(error.find("GiB with sequence_parallel=yes, recompute=full"), std::string::npos)
      << error;
  scenario.options.insert({{"recompute", "none"},
                           {"sequence_parallel", "no"},
                           {"partition", "equal"},
                           {"warm_up", "usual"}});
  EXPECT_NE(input_error_of([&] {
              with_found_options(scenario, Bytes{1e9}, true, result);
            }).find("as it is, and no option that may change saves any; expected more"),
            std::string::npos);
}

// Micro-batches of 64 would be faster and hold 640 GiB.
TEST(FoundOptionsTest, NoMoreIsHeldThanTheDeviceHas) {
  OwnedJob scenario = pipeline_of({{"global_batch", "512"}});
  scenario.options["pp"] = "1";
  EditedStep result;
  const OwnedJob best = with_found(scenario, {}, true, result);
  EXPECT_LE(memory_of(best), scenario.cluster.device.memory.value);
  EXPECT_LT(result.step_after.value, 0.9 * result.step_before.value);
  EXPECT_GT(result.step_after.value, 0);
}

TEST(FoundOptionsTest, AStepThatDoesNotFitIsMadeToFit) {
  OwnedJob scenario = pipeline_of({});
  scenario.cluster.device.memory = Bytes{20 * kGiB};
  EditedStep searched;
  edit_schedule(scenario, {}, true, {}, searched);
  EXPECT_EQ(searched.device_memory, scenario.cluster.device.memory);
  EXPECT_GT(searched.memory_before, scenario.cluster.device.memory);
  EXPECT_LE(searched.memory_after, scenario.cluster.device.memory);
  EditedStep left;
  edit_schedule(scenario, {}, false, {}, left);
  EXPECT_EQ(left.memory_after, left.memory_before);
  ASSERT_FALSE(left.notes.empty());
  EXPECT_EQ(left.notes.back(),
            "it does not fit: the GPU has 20 GiB of memory, the step needs "
            "25.72 GiB");
}

// Nothing would: then it holds no more than it does.
TEST(FoundOptionsTest, AStepThatCannotFitHoldsNoMore) {
  OwnedJob scenario = pipeline_of({});
  scenario.cluster.device.memory = Bytes{1 * kGiB};
  EditedStep result;
  const OwnedJob best = with_found(scenario, {}, true, result);
  EXPECT_LE(memory_of(best), memory_of(scenario));
  EXPECT_LT(result.step_after, result.step_before);
}

// Otherwise the best might be left out, also where messages are compressed or stages far apart.
TEST(FoundOptionsTest, NoStepIsBelowItsBound) {
  for (const char* schedule :
       {"gpipe", "1f1b", "interleaved", "zb-h1", "zb-h2", "zb-v", "dualpipe"})
    for (const ScheduleOptions& options :
         {ScheduleOptions{}, ScheduleOptions{{"zero", "1"}, {"recompute", "full"}},
          ScheduleOptions{{"zero", "3"}, {"sequence_parallel", "yes"}},
          ScheduleOptions{{"pp_ratio", "100"}, {"dp_ratio", "100"}},
          ScheduleOptions{
              {"stage_links", "800Gbps,800Gbps,800Gbps,800Gbps,800Gbps,800Gbps,800Gbps"},
              {"pp", "8"}}}) {
      OwnedJob scenario = pipeline_of(options, schedule);
      const bool in_parts = scenario.info().passes.chunks > 1;
      if ((scenario.info().passes.holds_twice && options.contains("zero")) ||
          (in_parts && options.contains("stage_links")))
        continue;
      scenario.cluster.nic.bandwidth = BytesPerSecond{1e8};
      scenario.engine.fidelity = Fidelity::Flow;
      const HybridRun run = run_of(scenario);
      const double bound = step_bound(run.job, scenario.workload, scenario.cluster).value;
      EXPECT_LE(bound, step_of(scenario) * (1 + 1e-9)) << schedule;
      EXPECT_GT(bound, 0) << schedule;
    }
}

// Before anything is simulated there is nothing to tell.
TEST(FoundOptionsTest, ASignalEndsTheFit) {
  const OwnedJob scenario = pipeline_of({});
  int simulated = 0;
  const OptionSpace space{.options = {{.info = {.name = "recompute", .default_value = "none"},
                                       .values = {"none", "selective", "full"}}},
                          .plan =
                              [&](const ScheduleOptions& options) {
                                OwnedJob other = scenario;
                                other.options = options;
                                return run_of(other).hybrid.plan;
                              },
                          .step =
                              [&](const Plan&) {
                                ++simulated;
                                ask_to_stop(SIGTERM);
                                return Seconds{1e9};
                              }};
  const StopsBetweenJobs stops;
  OptionSteps steps(space, 1000);
  EXPECT_TRUE(fitted_options(scenario, steps, Bytes{1e12}).options.has_value());
  EXPECT_EQ(simulated, 1);
  EXPECT_THROW(fitted_options(scenario, steps, Bytes{1e12}), Stopped);
}

}  // namespace
}  // namespace stepcast
