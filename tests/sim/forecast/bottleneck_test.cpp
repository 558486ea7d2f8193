#include "sim/forecast/bottleneck.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "sim/forecast/forecast_notes.hpp"
#include "traces/settings.hpp"

namespace stepcast {
namespace {

constexpr const char* kModel =
    "transformer:layers=8,hidden=1024,heads=16,seq=512,vocab=8192,precision=bf16,device=a100,"
    "batch=4";

Forecast with_what_if(const Experiment& experiment) {
  const Scenario scenario = scenario_of(experiment);
  ScheduleRun run = simulated(scenario, experiment.schedules.front());
  add_what_if(run, scenario);
  return std::move(run.forecast);
}

Forecast resnet(const std::string& schedule, const std::vector<std::string>& settings = {}) {
  return with_what_if({.workload = "resnet50-rtx2080ti-bs64",
                       .cluster = "rtx2080ti-16x4-10gbe",
                       .schedules = {schedule},
                       .fidelity = "analytic",
                       .settings = parse_settings(settings)});
}

Seconds part_of(const std::vector<NamedTime>& parts, const std::string& name) {
  const auto part = std::ranges::find(parts, name, &NamedTime::name);
  return part == parts.end() ? Seconds{} : part->time;
}

// Nothing overlaps: without network the passes and the update are left, without compute the
// all-reduce, and without launches one launch less.
TEST(Bottleneck, LeavesOfASerialStepTheOtherPart) {
  const std::vector<std::string> settings{"cluster.software.collective_launch=2ms",
                                          "cluster.software.jitter=0"};
  const Forecast forecast = resnet("bsp", settings);
  const Breakdown& parts = forecast.breakdown;
  const Seconds messages = part_of(parts.exposed_communication, "all-reduce");
  EXPECT_NEAR(forecast.what_if.no_network / (forecast.iteration_time - messages), 1, 1e-6);
  EXPECT_NEAR(forecast.what_if.no_compute / messages, 1, 1e-6);
  EXPECT_NEAR((forecast.iteration_time - forecast.what_if.no_host).value, 2e-3, 1e-9);
  EXPECT_EQ(forecast.what_if.no_bubble, forecast.iteration_time);
}

// Four stages of equal blocks and eight micro-batches: 1F1B computes for 8 of 11 slots.
TEST(Bottleneck, WithoutItsBubbleAPipelineTakesTheWorkOfItsLongestStage) {
  const std::vector<std::string> settings{"cluster.nodes=1", "pp=4", "tp=2", "global_batch=32"};
  const Forecast forecast = with_what_if({.workload = kModel,
                                          .cluster = "dgx-a100",
                                          .schedules = {"1f1b"},
                                          .fidelity = "analytic",
                                          .settings = parse_settings(settings)});
  Seconds longest{};
  for (const StageForecast& stage : forecast.stages)
    longest = std::max(longest, stage.time + stage.split.messages + stage.split.exchange);
  EXPECT_NEAR(forecast.what_if.no_bubble / longest, 1, 1e-9);
  EXPECT_LT(forecast.what_if.no_bubble, forecast.iteration_time);
  EXPECT_GT(forecast.what_if.no_bubble / forecast.iteration_time, 8.0 / 11);
  EXPECT_LT(forecast.what_if.no_network, forecast.iteration_time);  // in layers, too
}

TEST(Bottleneck, SavesNothingBelowZeroWhateverTheSchedule) {
  for (const ScheduleInfo& info : all_schedules()) {
    if (info.partitions_model())
      continue;
    const Forecast forecast = resnet(info.name, {"cluster.nodes=2"});
    for (const Saving& saving : savings_of(forecast.what_if, forecast.iteration_time)) {
      EXPECT_GE(saving.share, 0) << info.name << " " << saving.of;
      EXPECT_LE(saving.share, 1) << info.name << " " << saving.of;
    }
    EXPECT_TRUE(forecast.why.front().starts_with("Bottleneck: ")) << info.name;
  }
}

// One GPU has no network and no other stage; without compute nothing is left.
TEST(Bottleneck, OfOneGpuIsAllCompute) {
  const Forecast forecast = resnet("ddp", {"cluster.nodes=1", "cluster.gpus_per_node=1"});
  EXPECT_LT(forecast.what_if.no_compute / forecast.iteration_time, 1e-6);
  EXPECT_NEAR(forecast.what_if.no_network / forecast.iteration_time, 1, 1e-9);
  EXPECT_EQ(bottleneck_of(forecast), "compute: taking no time it would save 100.0 % of the step");
}

TEST(Bottleneck, TheBottleneckIsTheLargestSaving) {
  const StepWithout what_if{.no_compute = Seconds{.6},
                            .no_network = Seconds{.5},
                            .no_host = Seconds{1},
                            .no_bubble = Seconds{.9}};
  Forecast forecast{.iteration_time = Seconds{1}, .what_if = what_if};
  EXPECT_EQ(bottleneck_of(forecast),
            "network: taking no time it would save 50.0 % of the step (compute 40.0 %, pipeline "
            "bubble 10.0 %)");
  forecast.what_if = {};
  EXPECT_EQ(bottleneck_of(forecast), "");
}

// What the first lines must not keep quiet about comes first, whatever else is noted.
TEST(Bottleneck, WarningsAreNotesThatCastDoubt) {
  Forecast forecast;
  forecast.notes = {{NoteKind::Cluster, "costs", "a"},
                    {NoteKind::Workload, "device", "b"},
                    {NoteKind::Memory, "memory", "c"},
                    {NoteKind::Scope, "iterations", "d"}};
  EXPECT_EQ(texts_of(warnings_of(forecast)), (std::vector<std::string>{"c", "b"}));
  forecast.steady = false;
  EXPECT_EQ(texts_of(warnings_of(forecast)), (std::vector<std::string>{"c", "b", "d"}));
}

}  // namespace
}  // namespace stepcast
