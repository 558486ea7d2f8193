#include "sim/forecast/protocol_forecast.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/schedule/list/registry.hpp"

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

Scenario quiet_scenario(const ScheduleOptions& options = {}, const std::string& nodes = "8",
                        const std::string& gpus_per_node = "4") {
  Experiment experiment{.workload = "resnet50-rtx2080ti-bs64", .cluster = "rtx2080ti-16x4-10gbe"};
  experiment.settings.cluster = {{"nodes", nodes}, {"gpus_per_node", gpus_per_node}};
  experiment.settings.schedule = options;
  Scenario scenario = scenario_of(std::move(experiment));
  scenario.engine.fidelity = Fidelity::Analytic;
  return scenario;
}

bool has_note(const Forecast& forecast, const std::string& subject) {
  return std::ranges::count(forecast.notes, subject, &Note::subject) > 0;
}

// H iterations and what averaging all takes, which one step tells. The mean of 20 held two
// averagings for 7 to 10 steps, and none from 21 on.
TEST(ProtocolForecast, LocalSgdAveragesOnceInItsSteps) {
  const auto time = [](std::uint32_t steps) {
    const Forecast forecast =
        protocol_run(quiet_scenario({{"local_steps", std::to_string(steps)}}), "local-sgd")
            .forecast;
    EXPECT_TRUE(forecast.steady);
    EXPECT_FALSE(has_note(forecast, "iterations"));
    return forecast.iteration_time;
  };
  const Workload workload = quiet_scenario().workload;
  const Seconds alone = forward_time(workload) + backward_time(workload) + workload.update;
  const Seconds averaging = time(1) - alone;
  for (std::uint32_t steps = 1; steps <= 100; ++steps)
    EXPECT_NEAR(time(steps) / (alone + averaging / steps), 1, 1e-12) << steps;
}

// The sum of all iterations and rounds, each of which averages once: 26,000 iterations in stages of
// 2,000, 6,000 and 18,000 average after every 8, 13 and 24 of them, 1,462 times.
TEST(ProtocolForecast, LocalSgdInStagesTellsTheMeanStepOfAll) {
  const auto step = [](const ScheduleOptions& options) {
    return protocol_run(quiet_scenario(options), "local-sgd").forecast;
  };
  const Workload workload = quiet_scenario().workload;
  const Seconds alone = forward_time(workload) + backward_time(workload) + workload.update;
  const Seconds averaging = step({{"local_steps", "1"}}).iteration_time - alone;
  const Forecast growing = step({{"local_steps", "8"}, {"stages", "3"}});
  EXPECT_NEAR(growing.iteration_time / (alone + averaging * (1462. / 26'000)), 1, 1e-12);
  EXPECT_EQ(growing.protocol.training_iterations, 26'000U);
  EXPECT_EQ(growing.protocol.rounds, 1462U);
  EXPECT_TRUE(growing.steady);
  EXPECT_TRUE(has_note(growing, "stages"));
  const Forecast fixed = step({{"local_steps", "8"}, {"stages", "3"}, {"stage_period", "fixed"}});
  EXPECT_NEAR(fixed.iteration_time / step({{"local_steps", "8"}}).iteration_time, 1, 1e-12);
  EXPECT_EQ(fixed.protocol.rounds, 3250U);
  EXPECT_EQ(step({}).protocol.rounds, 0U);
}

// Stages by themselves, each of which is a whole number of rounds.
TEST(ProtocolForecast, StagesAreWeighedWhereChanceDraws) {
  const auto mean = [](const ScheduleOptions& options) {
    Scenario scenario = quiet_scenario(options, "2");
    scenario.engine.slow_down.laws = {SlowDown::LogNormal{.sigma = 0.3}};
    scenario.chance.seeds = 40;
    return protocol_run(scenario, "local-sgd").forecast;
  };
  // 60 iterations with periods of 5, then 240 with 10.
  const Forecast stages =
      mean({{"local_steps", "5"}, {"stages", "2"}, {"stage_steps", "60"}, {"stage_growth", "4"}});
  EXPECT_EQ(stages.protocol.rounds, 36U);
  const Seconds first = mean({{"local_steps", "5"}}).iteration_time;
  const Seconds second = mean({{"local_steps", "10"}}).iteration_time;
  EXPECT_NEAR(stages.iteration_time / (first * .2 + second * .8), 1, 1e-12);
  EXPECT_EQ(stages.spread.seeds, 40U);
}

TEST(ProtocolForecast, StagesDoNotAverageEveryTimeAtFirst) {
  EXPECT_THROW(protocol_run(quiet_scenario({{"stages", "2"}, {"in_step", "3"}}), "local-sgd"),
               InputError);
}

TEST(ProtocolForecast, NothingIsSaidOfALoneStragglersSteadyState) {
  Scenario scenario = quiet_scenario({}, "4");
  scenario.engine.stragglers[3] = 1.5;
  const Forecast forecast = protocol_run(scenario, "hop").forecast;
  EXPECT_TRUE(forecast.steady);
  EXPECT_FALSE(has_note(forecast, "iterations"));
}

TEST(ProtocolForecast, WholePeriodsAreCountedWhereChanceDrawsToo) {
  Scenario scenario = quiet_scenario({{"local_steps", "32"}});
  scenario.engine.slow_down.laws = {SlowDown::LogNormal{.sigma = 1e-6}};
  scenario.chance.seeds = 2;
  EXPECT_NEAR(protocol_run(scenario, "local-sgd").forecast.iteration_time /
                  protocol_run(quiet_scenario({{"local_steps", "32"}}), "local-sgd")
                      .forecast.iteration_time,
              1, 1e-5);
}

TEST(ProtocolForecast, APeerOfEachPhaseCountsAlike) {
  for (const auto& [nodes, phases] : {std::pair{"2", 3U}, {"4", 4U}, {"8", 5U}, {"16", 6U}}) {
    const Forecast steady = protocol_run(quiet_scenario({}, nodes), "d-psgd").forecast;
    const auto total = [&, on = nodes](std::uint32_t iterations) {
      Scenario scenario = quiet_scenario({}, on);
      scenario.engine.iterations = iterations;
      return protocol_run(scenario, "d-psgd").forecast.iteration_time * iterations;
    };
    EXPECT_TRUE(steady.steady);
    EXPECT_NEAR((total(60 * phases) - total(20 * phases)) / (40 * phases) / steady.iteration_time,
                1, 1e-9)
        << nodes;
  }
}

TEST(ProtocolForecast, IterationsThatAreAskedForAreTheFirst) {
  Scenario scenario = quiet_scenario({{"local_steps", "8"}, {"in_step", "3"}});
  EXPECT_TRUE(has_note(protocol_run(scenario, "local-sgd").forecast, "iterations"));
  scenario.engine.iterations = 3;
  const Forecast first = protocol_run(scenario, "local-sgd").forecast;
  EXPECT_FALSE(first.steady);
  EXPECT_TRUE(has_note(first, "iterations"));
  EXPECT_NEAR(
      first.iteration_time /
          protocol_run(quiet_scenario({{"local_steps", "1"}}), "local-sgd").forecast.iteration_time,
      1, 1e-12);
}

// Ranks of a node came first of those who came at once, so that nodes never averaged.
TEST(ProtocolForecast, GroupsOfThoseWhoComeAtOnceReachOtherNodes) {
  Scenario scenario = quiet_scenario({}, "4");
  const Forecast forecast = protocol_run(scenario, "first-k").forecast;
  EXPECT_GT(forecast.protocol.sent_per_nic, Bytes{1e6});
  EXPECT_FALSE(forecast.steady);
  EXPECT_TRUE(has_note(forecast, "slow"));
  scenario.cluster.nic.bandwidth = scenario.cluster.nic.bandwidth * 0.1;
  EXPECT_GT(protocol_run(scenario, "first-k").forecast.iteration_time, forecast.iteration_time * 2);
}

TEST(ProtocolForecast, ServersAreAQueueWithoutANoteOnLinks) {
  for (const char* schedule : {"ssp", "async-ps", "backup-workers"})
    EXPECT_FALSE(has_note(protocol_run(quiet_scenario(), schedule).forecast, "links")) << schedule;
  for (const char* schedule : {"prague-static", "ad-psgd"})
    EXPECT_TRUE(has_note(protocol_run(quiet_scenario(), schedule).forecast, "links")) << schedule;
}

TEST(ProtocolForecast, AWorkerByItselfIsWhollyEfficient) {
  for (const char* schedule : {"local-sgd", "prague-smart"})
    EXPECT_NEAR(protocol_run(quiet_scenario({}, "1", "1"), schedule).forecast.scaling_efficiency, 1,
                1e-12)
        << schedule;
}

// Of 32 gradients a step takes the first 16.
TEST(ProtocolForecast, SamplesOfDroppedGradientsDoNotCount) {
  const Forecast forecast =
      protocol_run(quiet_scenario({{"backup", "16"}}), "backup-workers").forecast;
  EXPECT_NEAR(forecast.throughput * forecast.iteration_time.value, 16 * 64, 1e-6);
  EXPECT_TRUE(has_note(forecast, "backup"));
}

TEST(ProtocolForecast, WorkersDoNotChangeAByteAndPartsAddUp) {
  for (const ScheduleInfo& info : asynchronous_schedules()) {
    const Scenario one = scenario_with(Fidelity::Analytic, {.seeds = 20, .workers = 1});
    const Scenario three = scenario_with(Fidelity::Analytic, {.seeds = 20, .workers = 3});
    const Forecast forecast = protocol_run(one, info.name).forecast;
    EXPECT_TRUE(same(forecast, protocol_run(three, info.name).forecast)) << info.name;
    EXPECT_NEAR(total_of(forecast.breakdown) / forecast.iteration_time, 1, 1e-9) << info.name;
    EXPECT_GE(forecast.breakdown.idle, Seconds{}) << info.name;
    EXPECT_EQ(forecast.spread.seeds, 20U) << info.name;
  }
}

TEST(ProtocolForecast, EveryProtocolReportsGapsStalenessWaitsAndBytes) {
  Scenario scenario = scenario_with(Fidelity::Analytic, {.seeds = 4});
  for (const ScheduleInfo& info : asynchronous_schedules()) {
    const ProtocolReport report = protocol_run(scenario, info.name).forecast.protocol;
    EXPECT_GT(report.iterations_per_s, 0) << info.name;
    EXPECT_LE(report.slowest_iterations_per_s, report.iterations_per_s / 16 * (1 + 1e-9))
        << info.name;
    for (const auto* shares : {&report.gaps, &report.staleness})
      EXPECT_NEAR(std::accumulate(shares->begin(), shares->end(), 0.0), 1, 1e-9) << info.name;
    EXPECT_FALSE(report.waiting.empty()) << info.name;
    EXPECT_GT(report.sent_per_nic, Bytes{}) << info.name;
    const std::string trace = protocol_trace(scenario, info.name);
    for (const char* row : {"worker 0", "worker 15"})
      EXPECT_NE(trace.find(row), std::string::npos) << info.name;
  }
}

// Costs that were given left the note on those that were not, and changed nothing.
TEST(ProtocolForecast, SaysThatHostsTakeNoTime) {
  Scenario scenario = scenario_with(Fidelity::Analytic, {.seeds = 1});
  scenario.cluster.software.host_per_launch = Seconds{1e-3};
  scenario.cluster.software.host_per_update = Seconds{1e-3};
  for (const ScheduleInfo& info : asynchronous_schedules()) {
    const Notes notes = protocol_run(scenario, info.name).forecast.notes;
    const auto note = std::ranges::find(notes, "host", &Note::subject);
    ASSERT_NE(note, notes.end()) << info.name;
    EXPECT_EQ(note->text,
              "Costs of hosts that do not count here: software.host_per_launch, "
              "software.host_per_update.");
  }
}

// A worker of a server pushes its model once in an iteration: four of a node four.
TEST(ProtocolForecast, WorkersOfAServerSendWhatTheyPush) {
  const Scenario scenario = scenario_with(Fidelity::Analytic, {.seeds = 1});
  const double model = parameter_size(scenario.workload).value;
  EXPECT_NEAR(protocol_run(scenario, "ssp").forecast.protocol.sent_per_nic.value, 4 * model,
              1e-3 * model);
}

// As published: all-reduce, AD-PSGD, parameter server (nobody slow), where averaging is a step of
// its own as in AD-PSGD's algorithm 1; hidden beside the gradient, as in its implementation, it
// would be the first.
TEST(ProtocolForecast, AdPsgdStandsBetweenAllReduceAndAServerWhereAveragingBlocks) {
  for (const char* cluster : {"rtx2080ti-16x4-ib100", "rtx2080ti-16x4-10gbe"}) {
    Experiment experiment{.workload = "resnet50-rtx2080ti-bs64", .cluster = cluster};
    experiment.settings.cluster = {{"nodes", "4"}};
    experiment.settings.schedule = {{"averaging", "blocking"}};
    Scenario scenario = scenario_of(experiment);
    const Seconds pairs = protocol_run(scenario, "ad-psgd").forecast.iteration_time;
    scenario.settings.schedule.clear();
    const Seconds all = simulated(scenario, "bsp").forecast.iteration_time;
    EXPECT_LT(all, pairs) << cluster;
    EXPECT_LT(pairs, protocol_run(scenario, "async-ps").forecast.iteration_time) << cluster;
    EXPECT_LT(protocol_run(scenario, "ad-psgd").forecast.iteration_time, all) << cluster;
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
    scenario.engine.slow_down = {.transfers = {SlowDown::LogNormal{.sigma = 1.5}}};
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

// 3,000 workers took 100 seeds, as 4 do: 3 hold as many workers as 100 seeds of 64.
TEST(ProtocolForecast, ManyEqualWorkersTakeFewerSeeds) {
  const auto seeds = [](const Scenario& scenario) {
    return protocol_run(scenario, "ad-psgd").forecast.spread.seeds;
  };
  EXPECT_EQ(seeds(quiet_scenario({}, "16")), 100U);
  EXPECT_EQ(seeds(quiet_scenario({}, "32")), 50U);
  Scenario many = quiet_scenario({}, "750");
  const Forecast forecast = protocol_run(many, "ad-psgd").forecast;
  EXPECT_EQ(forecast.spread.seeds, 3U);
  EXPECT_TRUE(std::ranges::any_of(forecast.notes, [](const Note& note) {
    return note.text.find("3 seeds are enough, as in each 3000 equal workers") != std::string::npos;
  }));
  many.chance = {.seeds = 4, .asked = true};
  EXPECT_EQ(seeds(many), 4U);
  many = quiet_scenario({}, "32");
  many.engine.slow_down.laws = {SlowDown::LogNormal{.sigma = 0.1}};
  EXPECT_EQ(seeds(many), 100U) << "some may be slow";
}

// Seeds are told of from where they were simulated, by whatever process.
TEST(ProtocolForecast, SeedsOnSeveralProcessesReportTheSame) {
  Scenario scenario = quiet_scenario({}, "4");
  const Forecast alone = protocol_run(scenario, "prague-random").forecast;
  scenario.chance.workers = 3;
  EXPECT_TRUE(same(protocol_run(scenario, "prague-random").forecast, alone));
}

}  // namespace
}  // namespace stepcast
