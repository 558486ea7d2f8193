// Ranks that share a model, as they were recorded: its replicas exchange gradients.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "models/schedule/replicas.hpp"
#include "sim/forecast/scenario.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

using examples::plain_cluster;
using examples::uniform_workload;
using testing::HasSubstr;

Scenario scenario_of_pairs() {
  Workload workload = uniform_workload(4, Seconds{1e-3}, Seconds{2e-3}, 1'000'000);
  workload.model_group = 2;
  workload.layers.insert(workload.layers.begin() + 2, {.name = "messages",
                                                       .kind = kModelMessages,
                                                       .forward = Seconds{5e-4},
                                                       .backward = Seconds{7e-4},
                                                       .parameters = {}});
  const Cluster cluster = plain_cluster(4, 2);
  return {.original_workload = workload,
          .original_cluster = cluster,
          .workload = workload,
          .cluster = cluster};
}

Forecast forecast_with(const char* schedule, Fidelity fidelity) {
  Scenario scenario = scenario_of_pairs();
  scenario.engine.fidelity = fidelity;
  return plain_forecast_of(scenario, schedule);
}

// The four replicas are a cluster of their own: two of them are on each NIC.
TEST(ModelGroups, ReplicasExchangeGradientsAmongThemselves) {
  const Scenario scenario = scenario_of_pairs();
  Workload of_replica = scenario.workload;
  of_replica.model_group = 1;
  const Cluster replicas = replica_cluster(scenario.cluster, model_replicas(scenario.cluster, 2));
  EXPECT_EQ(replicas.ranks(), 4U);
  for (const char* schedule : {"bsp", "wfbp", "ddp", "dear", "horovod", "zero", "mg-wfbp"}) {
    Scenario alone{.original_workload = of_replica,
                   .original_cluster = replicas,
                   .workload = of_replica,
                   .cluster = replicas};
    for (const Fidelity fidelity : {Fidelity::Analytic, Fidelity::Flow}) {
      alone.engine.fidelity = fidelity;
      const Seconds step = plain_forecast_of(alone, schedule).iteration_time;
      EXPECT_NEAR(forecast_with(schedule, fidelity).iteration_time / step, 1, 1e-9) << schedule;
    }
  }
}

TEST(ModelGroups, SamplesAreThoseOfModels) {
  const Forecast forecast = forecast_with("bsp", Fidelity::Analytic);
  EXPECT_NEAR(forecast.throughput * forecast.iteration_time.value,
              4.0 * scenario_of_pairs().workload.batch, 1e-9);
}

TEST(ModelGroups, MessagesInLayersAreExposedCommunication) {
  const Forecast forecast = forecast_with("bsp", Fidelity::Analytic);
  EXPECT_NEAR(forecast.breakdown.forward.value, 4e-3, 1e-9);
  EXPECT_NEAR(forecast.breakdown.backward.value, 8e-3, 1e-9);
  const auto& exposed = forecast.breakdown.exposed_communication;
  const auto messages = std::ranges::find(exposed, kMessagesInLayers, &NamedTime::name);
  ASSERT_NE(messages, exposed.end());
  EXPECT_NEAR(messages->time.value, 12e-4, 1e-9);
}

TEST(ModelGroups, PassesAreAccumulatedWithTheirMessages) {
  Scenario scenario = scenario_of_pairs();
  scenario.workload.passes = 3;
  const Forecast forecast = plain_forecast_of(scenario, "bsp");
  EXPECT_NEAR(forecast.breakdown.forward.value, 3 * 4e-3, 1e-9);
  EXPECT_NEAR(forecast.breakdown.exposed_communication.back().time.value, 3 * 12e-4, 1e-9);
  EXPECT_NEAR(forecast.throughput * forecast.iteration_time.value,
              3 * 4.0 * scenario.workload.batch, 1e-9);
}

// Rank 3 delayed no other rank, and rank 2 even its own messages.
TEST(ModelGroups, SlowRanksAreRefused) {
  Settings settings;
  settings.stragglers[3] = 2;
  EXPECT_THAT(input_error_of([&] { changed(scenario_of_pairs(), settings); }),
              HasSubstr("expected no slow ranks"));
}

TEST(ModelGroups, SchedulesThatCannotMeanThemSaySo) {
  const auto refusal = [](const char* schedule) {
    return input_error_of([&] { check_schedule(scenario_of_pairs().workload, schedule); });
  };
  EXPECT_THAT(refusal("1f1b"),
              HasSubstr("expected a data-parallel schedule in which all ranks train in step"));
  EXPECT_THAT(refusal("ps"),
              HasSubstr("expected a data-parallel schedule in which all ranks train in step"));
  EXPECT_THAT(refusal("hop"), HasSubstr("recorded on 2 ranks that share the model"));
  EXPECT_THAT(input_error_of([] { plain_forecast_of(scenario_of_pairs(), "ps"); }),
              HasSubstr("expected a data-parallel schedule in which all ranks train in step"));
  EXPECT_THAT(input_error_of([] { model_replicas(plain_cluster(4, 3), 2); }),
              HasSubstr("expected nodes of a multiple of 2 GPUs"));
}

}  // namespace
}  // namespace stepcast
