#include "sim/study/protocols/protocol_forecast.hpp"

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/schedule/decentralised/schedules.hpp"

namespace stepcast {
namespace {

Scenario scenario_with(Fidelity fidelity, const Chance& chance, std::uint32_t gpus_per_node = 4) {
  Experiment experiment{.workload = "resnet50-rtx2080ti-bs64", .cluster = "rtx2080ti-16x4-10gbe"};
  experiment.settings.cluster = {{"nodes", "4"}, {"gpus_per_node", std::to_string(gpus_per_node)}};
  Scenario scenario = scenario_of(std::move(experiment));
  scenario.engine.fidelity = fidelity;
  add_chance(scenario, {"lognormal:sigma=0.2"}, 10, chance);
  const Settings settings = scenario.settings;
  return changed(std::move(scenario), settings);
}

TEST(ProtocolForecast, WorkersDoNotChangeAByteAndPartsAddUp) {
  for (const ScheduleInfo& info : run_time_schedules()) {
    const Scenario one = scenario_with(Fidelity::Analytic, {.seeds = 20, .workers = 1});
    const Scenario three = scenario_with(Fidelity::Analytic, {.seeds = 20, .workers = 3});
    const Forecast forecast = protocol_run(one, info.name).forecast;
    EXPECT_TRUE(same(forecast, protocol_run(three, info.name).forecast)) << info.name;
    EXPECT_NEAR(total_of(forecast.breakdown) / forecast.iteration_time, 1, 1e-9) << info.name;
    EXPECT_GE(forecast.breakdown.idle, Seconds{}) << info.name;
    EXPECT_EQ(forecast.spread.seeds, 20U) << info.name;
  }
}

// A ring of nodes with one GPU each: every message has a direction of its links to itself or shares
// it with the one that goes the other way round, as counted beforehand.
TEST(ProtocolForecast, SimGridsNetworkGivesTheTimesOfTheClosedFormWhereSharingIsFixed) {
  for (const char* schedule : {"hop", "local-sgd"}) {
    Scenario analytic = scenario_with(Fidelity::Analytic, {.seeds = 4}, 1);
    Scenario flow = scenario_with(Fidelity::Flow, {.seeds = 4}, 1);
    for (Scenario* each : {&analytic, &flow})
      each->engine.slow_down = {.laws = {SlowDown::Fixed{.rank = 0, .factor = 1}}};
    EXPECT_NEAR(protocol_run(flow, schedule).forecast.iteration_time /
                    protocol_run(analytic, schedule).forecast.iteration_time,
                1, 1e-3)
        << schedule;
  }
}

TEST(ProtocolForecast, AGroupOfSmartPragueLeavesASlowWorkerBehind) {
  Scenario scenario = scenario_with(Fidelity::Flow, {.seeds = 4});
  scenario.engine.slow_down.laws = {SlowDown::Fixed{.rank = 3, .factor = 5}};
  const Seconds smart = protocol_run(scenario, "prague-smart").forecast.iteration_time;
  EXPECT_LT(smart * 1.5, simulated(scenario, "bsp").forecast.iteration_time);
}

TEST(ProtocolForecast, ATraceHasARowForEachWorker) {
  const std::string trace = protocol_trace(scenario_with(Fidelity::Analytic, {.seeds = 1}), "hop");
  EXPECT_NE(trace.find(R"("name":"worker 15")"), std::string::npos);
  EXPECT_NE(trace.find(R"("name":"iteration 7")"), std::string::npos);
  EXPECT_EQ(trace.find(R"("name":"iteration 8")"), std::string::npos);
}

TEST(ProtocolForecast, OptionsThatCannotBeAreToldInALine) {
  Scenario scenario = scenario_with(Fidelity::Analytic, {.seeds = 1});
  scenario.settings.schedule = {{"backup", "1"}, {"max_gap", "0"}};
  EXPECT_THROW(protocol_run(scenario, "hop"), InputError);
  scenario.settings.schedule = {{"graph", "one-peer"}};
  EXPECT_THROW(protocol_run(scenario, "hop"), InputError);
  EXPECT_THROW(planned(scenario, "hop"), InputError);
}

// A factor with a mean above 1 on transfers alone: whatever moves models must take longer.
TEST(ProtocolForecast, SlowTransfersSlowEveryProtocol) {
  for (const char* schedule :
       {"ssp", "async-ps", "backup-workers", "local-sgd", "prague-static", "d-psgd", "ad-psgd"}) {
    Scenario scenario = scenario_with(Fidelity::Analytic, {.seeds = 4});
    scenario.engine.slow_down = {};
    const Seconds quick = protocol_run(scenario, schedule).forecast.iteration_time;
    scenario.engine.slow_down = {.transfers = {1.5}};
    EXPECT_GT(protocol_run(scenario, schedule).forecast.iteration_time, quick * 1.05) << schedule;
  }
}

TEST(ProtocolForecast, ATimeThatCannotBeSimulatedIsRefused) {
  Scenario scenario = scenario_with(Fidelity::Analytic, {.seeds = 1});
  scenario.engine.slow_down = {.laws = {SlowDown::Recorded{{{1e9}}}}};
  EXPECT_NO_THROW(protocol_run(scenario, "hop"));
  scenario.engine.slow_down = {.laws = {SlowDown::Recorded{{{1e300}}}}};
  EXPECT_THROW(protocol_run(scenario, "hop"), InputError);
  EXPECT_THROW(spread_of({{.time = 1e13, .details = {}}}, 20), InputError);
}

}  // namespace
}  // namespace stepcast
