// One job under every kind of schedule: what belongs to the job is the same, whoever trains it.
#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/schedule/decentralised/schedules.hpp"
#include "models/schedule/list/registry.hpp"
#include "models/workload/transformer/transformer_workload.hpp"
#include "sim/forecast/scenario.hpp"
#include "sim/forecast/tuning/tune.hpp"
#include "traces/settings.hpp"

namespace stepcast {
namespace {

constexpr const char* kModel =
    "transformer:layers=8,hidden=1024,heads=16,seq=512,vocab=8192,precision=bf16,device=a100,"
    "batch=4";

Scenario scenario_with(const std::string& schedule, const std::vector<std::string>& settings = {}) {
  return scenario_of({.workload = kModel,
                      .cluster = "dgx-a100",
                      .schedules = {schedule},
                      .fidelity = "analytic",
                      .settings = parse_settings(settings)});
}

Forecast forecast_with(const std::string& schedule, const std::vector<std::string>& settings = {}) {
  return plain_forecast_of(scenario_with(schedule, settings), schedule);
}

Seconds update_of(const Forecast& forecast) {
  for (const NamedTime& part : forecast.breakdown.other_compute)
    if (part.name == "update")
      return part.time;
  return {};
}

// 30 bytes a parameter at the device's rate for elementwise work, whichever schedule runs it.
TEST(EverySchedule, CountsTheUpdateOfATransformer) {
  const Workload workload = scenario_with("ddp").workload;
  const Seconds expected = Bytes{kUpdateTraffic * static_cast<double>(parameter_count(workload))} /
                           workload.transformer->law.elementwise;
  EXPECT_GT(expected, Seconds{});
  for (const char* schedule : {"bsp", "ddp", "dear", "hop", "1f1b", "gpipe"})
    EXPECT_NEAR(update_of(forecast_with(schedule)) / expected, 1, 1e-9) << schedule;
}

// ZeRO's ranks update a share each: together they are not faster than as many GPUs alone.
TEST(EverySchedule, IsNoMoreEfficientThanGpusAlone) {
  for (const ScheduleInfo& schedule : first_order_schedules()) {
    if (!schedule.planned || schedule.bound)
      continue;
    EXPECT_LE(forecast_with(schedule.name).scaling_efficiency, 1 + 1e-9) << schedule.name;
  }
}

TEST(EverySchedule, HasTheOptimiserOfTheModel) {
  for (const char* schedule : {"ddp", "hop", "1f1b"})
    EXPECT_EQ(forecast_with(schedule).options.at("optimiser"), "adam") << schedule;
  EXPECT_EQ(effective_options(schedule_of("ddp"), {}, Workload{}).at("optimiser"), "sgd");
}

// A pass of another batch follows from the law, not from that of the first in proportion.
TEST(EverySchedule, ComputesPassesOfTheBatchThatIsSet) {
  const Forecast replicated = forecast_with("bsp", {"batch=16"});
  const Forecast one_stage = forecast_with("1f1b", {"batch=16"});
  EXPECT_NEAR(replicated.breakdown.forward / one_stage.breakdown.forward, 1, 1e-9);
  const Forecast of_four = forecast_with("bsp");
  EXPECT_LT(replicated.breakdown.forward, of_four.breakdown.forward * 4);
}

TEST(EverySchedule, IsTunedAsItIsForecast) {
  for (const char* schedule : {"ddp", "hop", "1f1b"}) {
    const Scenario scenario = scenario_with(schedule);
    const Forecast forecast = plain_forecast_of(scenario, schedule);
    const Measurement trial = measured(job_of(scenario, schedule));
    EXPECT_NEAR(trial.time / forecast.iteration_time, 1, 1e-9) << schedule;
  }
}

// Four stages on equal GPUs wait for each other and for nobody that is slow.
TEST(EverySchedule, APipelinesBubbleIsNoWaitForSlowerRanks) {
  const std::vector<std::string> layout{"pp=4", "cluster.software.jitter=0"};
  const Forecast even = forecast_with("1f1b", layout);
  EXPECT_EQ(even.breakdown.waiting, Seconds{});
  EXPECT_GT(even.breakdown.bubble / even.iteration_time, 0.1);
  EXPECT_NEAR(total_of(even.breakdown) / even.iteration_time, 1, 1e-9);
  for (const std::string& sentence : even.why)
    EXPECT_EQ(sentence.find("slower ranks"), std::string::npos) << sentence;
  EXPECT_EQ(forecast_with("ddp").breakdown.bubble, Seconds{});
}

// All-reduces of a tensor group are no compute: without them the step is shorter by what is told.
TEST(EverySchedule, MessagesInLayersAreExposedCommunication) {
  const Forecast forecast = forecast_with("1f1b", {"tp=8"});
  for (const NamedTime& part : forecast.breakdown.other_compute)
    EXPECT_NE(part.name, "messages in layers");
  const auto messages = std::ranges::find(forecast.breakdown.exposed_communication,
                                          "messages in layers", &NamedTime::name);
  ASSERT_NE(messages, forecast.breakdown.exposed_communication.end());
  EXPECT_GT(messages->time, Seconds{});
  EXPECT_NEAR(total_of(forecast.breakdown) / forecast.iteration_time, 1, 1e-9);
}

// Workers that are alike wait for nobody: what they wait for is under way, or queues behind that.
TEST(EverySchedule, EvenWorkersWaitForNoSlowerOnes) {
  for (const ScheduleInfo& schedule : all_schedules()) {
    if (!schedule.asynchronous)
      continue;
    const Forecast forecast = forecast_with(
        schedule.name, {"cluster.nodes=2", "cluster.gpus_per_node=4", "cluster.software.jitter=0"});
    EXPECT_EQ(forecast.breakdown.waiting, Seconds{}) << schedule.name;
  }
  EXPECT_GT(total_of(forecast_with("hop").breakdown.exposed_communication), Seconds{});
}

// Rank 0 is of the first stage: the other stages of its pipeline wait for it.
TEST(EverySchedule, AStragglersShareOfTheBubbleIsAWait) {
  const Forecast even = forecast_with("1f1b", {"pp=4"});
  const Forecast slow = forecast_with("1f1b", {"pp=4", "straggler.0=1.5"});
  EXPECT_EQ(even.fastest_waiting, Seconds{});
  EXPECT_GT(slow.fastest_waiting / slow.iteration_time, 0.05);
  const Seconds longer = slow.iteration_time - even.iteration_time;
  EXPECT_NEAR(slow.stages.back().split.stragglers / longer, 1, 0.01);
  EXPECT_NEAR(total_of(slow.breakdown) / slow.iteration_time, 1, 1e-9);
  for (const StageForecast& stage : slow.stages)
    EXPECT_LE(stage.split.stragglers, slow.fastest_waiting);
}

/// The step on 64 GPUs at `flow`, whose clock, timers and flows an engine carries.
Forecast on_engine(EventEngine engine, const ScheduleInfo& schedule, bool fold) {
  std::vector<std::string> settings;
  if (schedule.partitions_model())
    settings.emplace_back("pp=2");
  if (schedule.name == "pipeline")
    settings.emplace_back("order=F0 F1 B0 B1\nF0 B0 F1 B1");
  const bool has_factors = schedule.name.ends_with("kfac") || schedule.name == "kaisa";
  Scenario scenario =
      scenario_of({.workload = has_factors ? "resnet50-rtx2080ti-bs32" : "resnet50-rtx2080ti-bs64",
                   .cluster = "rtx2080ti-16x4-10gbe",
                   .schedules = {schedule.name},
                   .settings = parse_settings(settings)},
                  fold);
  scenario.engine.engine = engine;
  return plain_forecast_of(scenario, schedule.name);
}

// SimGrid counts whole units of 2^-20 bytes and ends together what ends within a nanosecond. Where
// workers take whoever comes first, that decides whom they take, and the step with it.
TEST(EverySchedule, TakesAsLongOnSimGridAsOnTheOwnEngine) {
  double largest = 0;
  for (const ScheduleInfo& schedule : all_schedules())
    for (const bool fold : {true, false}) {
      if (!fold && schedule.asynchronous)
        continue;  // nothing folds
      SCOPED_TRACE(schedule.name + (fold ? "" : ", unfolded"));
      const Forecast own = on_engine(EventEngine::Own, schedule, fold);
      const Forecast simgrid = on_engine(EventEngine::SimGrid, schedule, fold);
      EXPECT_FALSE(own.engine.simgrid);
      EXPECT_TRUE(simgrid.engine.simgrid);
      EXPECT_GT(simgrid.engine.activities, 0U);
      const bool takes_the_first = schedule.name == "ad-psgd" || schedule.name == "first-k" ||
                                   schedule.name == "prague-random";
      const double difference = std::abs(simgrid.iteration_time / own.iteration_time - 1);
      EXPECT_LT(difference, takes_the_first ? 0.01 : 1e-9);
      largest = std::max(largest, takes_the_first ? 0 : difference);
    }
  RecordProperty("largest_difference", fmt::format("{:.1e}", largest));
}

TEST(EverySchedule, IsInTheOneList) {
  std::size_t asynchronous = 0;
  std::size_t partitions = 0;
  for (const ScheduleInfo& schedule : all_schedules()) {
    asynchronous += schedule.asynchronous ? 1 : 0;
    partitions += schedule.partitions_model() ? 1 : 0;
    EXPECT_EQ(find_schedule(schedule.name), &schedule);
  }
  EXPECT_GT(asynchronous, 8U);
  EXPECT_EQ(partitions, 8U);
  EXPECT_EQ(data_parallel_schedules().size() + asynchronous + partitions, all_schedules().size());
}

}  // namespace
}  // namespace stepcast
