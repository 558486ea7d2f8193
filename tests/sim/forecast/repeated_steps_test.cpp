// Forecasts of long periods, whose steps are jumped over, say what those say in which every step is
// simulated.
#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "models/schedule/period.hpp"
#include "sim/engine/steps.hpp"
#include "sim/forecast/forecast.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

struct Leaves {
  std::vector<double> numbers;
  std::vector<std::string> texts;
};

Leaves leaves_of(const Forecast& forecast) {
  Leaves leaves;
  for_each_leaf(forecast, [&]<class Leaf>(const Leaf& leaf) {
    if constexpr (std::is_arithmetic_v<Leaf>)
      leaves.numbers.push_back(static_cast<double>(leaf));
    else if constexpr (std::is_convertible_v<Leaf, std::string>)
      leaves.texts.emplace_back(leaf);
  });
  return leaves;
}

struct Case {
  std::string schedule;
  ScheduleOptions options;
  EngineOptions engine{};
};

void expect_same(const Case& job) {
  const Workload workload = load_workload("resnet50-rtx2080ti-bs32");
  Cluster cluster = load_cluster("rtx2080ti-16x4-ib100");
  cluster.nodes = 2;
  Plan plan = build_plan(job.schedule, workload, cluster, job.options);
  ASSERT_FALSE(repeats_of(plan).empty()) << job.schedule;
  const auto forecast_of = [&](const Plan& simulated, const Timeline& timeline) {
    return leaves_of(
        make_forecast(workload, cluster, simulated, job.options, job.engine.fidelity, timeline));
  };
  const Plan whole = unrolled(plan);
  const Leaves expected = forecast_of(whole, simulate(whole, cluster, job.engine));
  const Timeline timeline = simulate_steps(plan, cluster, job.engine);
  EXPECT_LT(plan.graph.size(), whole.graph.size()) << job.schedule << ": nothing was jumped over";
  const Leaves found = forecast_of(plan, timeline);
  EXPECT_EQ(found.texts, expected.texts) << job.schedule;
  ASSERT_EQ(found.numbers.size(), expected.numbers.size()) << job.schedule;
  for (std::size_t i = 0; i < found.numbers.size(); ++i)
    EXPECT_LE(std::abs(found.numbers[i] - expected.numbers[i]),
              1e-9 * std::max(1.0, std::abs(expected.numbers[i])))
        << job.schedule << ", number " << i << ": " << found.numbers[i] << " instead of "
        << expected.numbers[i];
}

const EngineOptions kAnalytic{.fidelity = Fidelity::Analytic};

TEST(RepeatedSteps, OfKfacAreForecastAsIfEachWereSimulated) {
  expect_same({"kaisa", {{"inverse_interval", "40"}}, kAnalytic});
  expect_same({"kaisa", {{"inverse_interval", "20"}}});
  expect_same({"kaisa", {{"factor_interval", "2"}, {"inverse_interval", "30"}}, kAnalytic});
  expect_same({"mpd-kfac", {{"factor_interval", "20"}, {"inverse_interval", "40"}}, kAnalytic});
  expect_same({"dp-kfac", {{"inverse_interval", "30"}}, kAnalytic});
}

TEST(RepeatedSteps, OfSparseSystemsAreForecastAsIfEachWereSimulated) {
  expect_same({"dct", {{"threshold_every", "40"}}, kAnalytic});
  expect_same({"ok-topk", {{"threshold_every", "32"}, {"balance_every", "64"}}, kAnalytic});
}

TEST(RepeatedSteps, OfASlowRankAreForecastAsIfEachWereSimulated) {
  EngineOptions slow = kAnalytic;
  slow.stragglers[3] = 1.3;
  expect_same({"kaisa", {{"inverse_interval", "25"}}, slow});
}

}  // namespace
}  // namespace stepcast
