#include "sim/forecast/chance/seeded_run.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "sim/forecast/scenario.hpp"

namespace stepcast {
namespace {

Scenario scenario_with(const std::vector<std::string>& slow, const Chance& chance,
                       std::uint32_t iterations = 0) {
  Experiment experiment{.workload = "resnet50-rtx2080ti-bs64", .cluster = "rtx2080ti-16x4-10gbe"};
  experiment.fidelity = "analytic";
  experiment.settings.cluster = {{"nodes", "4"}, {"software.jitter", "0"}};
  Scenario scenario = scenario_of(std::move(experiment));
  add_chance(scenario, slow, iterations, chance);
  const Settings settings = scenario.settings;
  return changed(std::move(scenario), settings);
}

Forecast run(const std::string& schedule, const std::vector<std::string>& slow,
             const Chance& chance) {
  return simulated(scenario_with(slow, chance), schedule).forecast;
}

// All 16 ranks wait for the slowest: 1 + 5 (1 - (15/16)^16) of the compute, and the all-reduce.
// Over 50 seeds of 20 iterations the standard error is .5 / sqrt(1000) of 2.4 = 3 %.
TEST(SeededRun, TheMeanIsThatOfTheSlowestOfAll) {
  const Forecast quick = run("bsp", {}, {});
  const Forecast slow = run("bsp", {"bernoulli:factor=6,p=1/16"}, {.seeds = 50});
  const double compute = 0.2294 / quick.iteration_time.value;  // share of the step
  const double expected = 1 + compute * 5 * (1 - std::pow(15.0 / 16, 16));
  EXPECT_NEAR(slow.iteration_time / quick.iteration_time, expected, 0.05 * expected);
}

TEST(SeededRun, WorkersDoNotChangeAByte) {
  const std::vector<std::string> slow{"lognormal:sigma=0.2"};
  EXPECT_TRUE(same(run("ddp", slow, {.seeds = 20, .workers = 1}),
                   run("ddp", slow, {.seeds = 20, .workers = 3})));
}

TEST(SeededRun, ThePartsOfTheShownIterationAddUpToTheMean) {
  const Forecast forecast = run("ddp", {"lognormal:sigma=0.2"}, {.seeds = 10});
  EXPECT_NEAR(total_of(forecast.breakdown) / forecast.iteration_time, 1, 1e-9);
  EXPECT_GE(forecast.breakdown.idle, Seconds{});
  EXPECT_GT(forecast.fastest_waiting, Seconds{});
  EXPECT_GT(forecast.worst_iteration_time, forecast.spread.p95.value);
}

// 16 ranks of which each is delayed by 1 % on average: 1 + 0.01 (H_16 - 1) = 1.0238. A rank
// that is slow for good was told with that factor alone.
TEST(SeededRun, TheSlowestRankIsToldWithAllThatSlowsIt) {
  Scenario scenario = scenario_with({"rank=2,factor=3"}, {});
  Settings settings = scenario.settings;
  settings.cluster["software.jitter"] = "0.01";
  settings.stragglers = {{2, 1.5}};
  const Forecast forecast =
      simulated(changed(std::move(scenario), std::move(settings)), "ddp").forecast;
  double harmonic = 0;
  for (int rank = 1; rank <= 16; ++rank)
    harmonic += 1.0 / rank;
  const std::string told = fmt::format("The slowest: rank 2, computing {:.4g} times as long",
                                       3 * 1.5 * (1 + 0.01 * (harmonic - 1)));
  EXPECT_TRUE(forecast.why[1].starts_with(told)) << forecast.why[1];
}

TEST(SeededRun, SeedsAreAddedUntilTheQuantilesAreKnown) {
  const SeedSpread spread = run("bsp", {"lognormal:sigma=0.05"}, {.seeds = 0}).spread;
  EXPECT_GE(spread.seeds, 128U);
  EXPECT_LT(spread.seeds, Chance::kMostSeeds);
  EXPECT_LT((spread.p95.high - spread.p95.low) / spread.p95.value, 0.02);
}

// The same draws for both: where one is slow by chance, so is the other.
TEST(SeededRun, SchedulesMeetTheSameChances) {
  const auto times = [](const std::string& schedule) {
    const Scenario scenario = scenario_with({"bernoulli:factor=6,p=1/64"}, {}, 30);
    const Plan plan = planned(scenario, schedule).plan;
    return simulate(plan, scenario.cluster, scenario.engine).iteration_times;
  };
  const auto bsp = times("bsp");
  const auto ddp = times("ddp");
  for (std::size_t i = 1; i < bsp.size(); ++i)
    EXPECT_EQ(bsp[i] > 2 * *std::ranges::min_element(bsp),
              ddp[i] > 2 * *std::ranges::min_element(ddp))
        << i;
}

// A transfer takes exp(sigma z) times as long, exp(sigma^2 / 2) on average; compute is as it was.
TEST(SeededRun, TheNetworkMayBeSlowByItself) {
  const Forecast quick = run("bsp", {}, {});
  const Forecast slow = run("bsp", {"lognormal:sigma=0.5,on=network"}, {.seeds = 50});
  const Seconds transfer = total_of(quick.breakdown.exposed_communication);
  const Seconds expected = quick.iteration_time + transfer * (std::exp(0.125) - 1);
  EXPECT_NEAR(slow.iteration_time / expected, 1, 0.01);
}

TEST(SeededRun, AnIterationCountAloneDrawsNothing) {
  const Forecast forecast = simulated(scenario_with({}, {}, 7), "bsp").forecast;
  EXPECT_EQ(forecast.spread.seeds, 0U);
  EXPECT_EQ(forecast.iterations_simulated, 7U);
}

TEST(SeededRun, ALawWithoutChanceIsSimulatedOnceAndToTheSteadyState) {
  const Forecast forecast = run("bsp", {"rank=3,factor=5"}, {});
  EXPECT_EQ(forecast.spread.seeds, 0U);
  EXPECT_TRUE(forecast.steady);
  EXPECT_EQ(forecast.slowest_ranks, "rank 3");
}

}  // namespace
}  // namespace stepcast
