#include "sim/forecast/likely_range.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "sim/forecast/effects.hpp"
#include "sim/forecast/scenario.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

CheckedCase made(std::string schedule, std::uint32_t gpus, double error,
                 std::string network = "slow", std::string device = "a100") {
  return {.source = "made",
          .workload = "w",
          .cluster = "c",
          .device = std::move(device),
          .schedule = std::move(schedule),
          .network = std::move(network),
          .gpus = gpus,
          .measured = Seconds{1},
          .predicted = Seconds{1 + error}};
}

/// Twenty steps of ddp whose errors are 1, 2, .. 20 %, in turn too slow and too fast.
std::vector<CheckedCase> twenty() {
  std::vector<CheckedCase> cases;
  for (int i = 1; i <= 20; ++i)
    cases.push_back(made("ddp", 8, (i % 2 == 0 ? -0.01 : 0.01) * i));
  return cases;
}

const RangeQuestion kSame{.schedule = "ddp", .device = "a100", .network = "slow", .gpus = 8};

// Of 20 errors the 19th smallest (0.9 x 21 = 18.9): 19 %.
TEST(LikelyRange, HoldsNineTenthsOfTheErrors) {
  const LikelyRange range = likely_range(kSame, twenty());
  EXPECT_DOUBLE_EQ(range.low, 1 / 1.19);
  EXPECT_DOUBLE_EQ(range.high, 1 / 0.81);
  EXPECT_EQ(range.basis,
            "the errors of 20 checked steps of ddp on slow networks (8 to 8 GPUs): 19.0 %");
}

TEST(LikelyRange, APresetIsItsSchedule) {
  RangeQuestion question = kSame;
  question.schedule = "ddp-vldb20";
  EXPECT_EQ(likely_range(question, twenty()).basis, likely_range(kSame, twenty()).basis);
}

// Twice 19 % x 1.25 for 32 GPUs, two doublings from 8.
TEST(LikelyRange, WidensWithTheNumberOfGpus) {
  RangeQuestion question = kSame;
  question.gpus = 32;
  EXPECT_DOUBLE_EQ(likely_range(question, twenty()).low, 1 / (1 + 0.19 * 1.25 * 1.25));
}

TEST(LikelyRange, WidensForAnotherDeviceAndAnotherSchedule) {
  RangeQuestion device = kSame;
  device.device = "h100";
  EXPECT_DOUBLE_EQ(likely_range(device, twenty()).low, 1 / (1 + 0.19 * 1.5));
  RangeQuestion schedule = kSame;
  schedule.schedule = "dear";
  const LikelyRange range = likely_range(schedule, twenty());
  EXPECT_DOUBLE_EQ(range.low, 1 / (1 + 0.19 * 1.5));
  EXPECT_NE(range.basis.find("of other schedules (gradients) on slow networks"), std::string::npos);
}

TEST(LikelyRange, FewerThanFiveCasesOfAScheduleTellNothing) {
  std::vector<CheckedCase> cases = twenty();
  for (int i = 0; i < 4; ++i)
    cases.push_back(made("dear", 8, 0.0));
  RangeQuestion question = kSame;
  question.schedule = "dear";
  EXPECT_NE(likely_range(question, cases).basis.find("24 checked steps"), std::string::npos);
}

TEST(LikelyRange, IsNeverNarrowerThanTwoPercent) {
  const std::vector<CheckedCase> exact(6, made("ddp", 8, 0.0));
  EXPECT_DOUBLE_EQ(likely_range(kSame, exact).low, 1 / 1.02);
}

CheckedCase made_layout(std::string device, std::uint32_t experts, double error) {
  CheckedCase each = made("1f1b", 64, error, "fast", std::move(device));
  each.experts = experts;
  return each;
}

// Ten of each: without experts 4 % off on a100 and 6 on h100, with experts 40.
TEST(LikelyRange, OfAModelThatIsCutIsThatOfModelsLikeIt) {
  std::vector<CheckedCase> cases;
  for (int i = 0; i < 10; ++i)
    for (const CheckedCase& each :
         {made_layout("a100", 1, 0.04), made_layout("h100", 1, 0.06), made_layout("h100", 8, -0.4)})
      cases.push_back(each);
  RangeQuestion question{.schedule = "zb-h1", .device = "a100", .network = "fast", .gpus = 64};
  EXPECT_DOUBLE_EQ(likely_range(question, cases).low, 1 / 1.06);
  EXPECT_EQ(likely_range(question, cases).basis,
            "the errors of 10 checked steps of models without experts on a100 (64 to 64 GPUs), "
            "wider as their software was described with them in sight: 6.0 %");
  question.device = "b200";  // of both devices, wider by a half
  EXPECT_DOUBLE_EQ(likely_range(question, cases).low, 1 / 1.135);
  question.experts = true;
  question.device = "h100";
  EXPECT_DOUBLE_EQ(likely_range(question, cases).low, 1 / 1.6);
}

// ---- the shipped cases

/// Share of the cases of each part that lie in the range that all others give.
double covered(const std::function<std::string(const CheckedCase&)>& part_of,
               const std::vector<CheckedCase>& all = shipped_checks()) {
  std::size_t inside = 0;
  for (const CheckedCase& each : all) {
    std::vector<CheckedCase> others;
    std::ranges::copy_if(all, std::back_inserter(others),
                         [&](const CheckedCase& other) { return part_of(other) != part_of(each); });
    const LikelyRange range = likely_range({.schedule = each.schedule,
                                            .device = each.device,
                                            .network = each.network,
                                            .gpus = each.gpus,
                                            .experts = each.experts > 1},
                                           others);
    const double factor = each.measured / each.predicted;
    inside += factor >= range.low && factor <= range.high ? 1 : 0;
  }
  return static_cast<double>(inside) / static_cast<double>(all.size());
}

// What was never checked is covered as often as the range promises: families of schedules, testbeds
// and models are left out one by one.
TEST(ShippedChecks, CoverTheSchedulesThatAreLeftOut) {
  EXPECT_GE(covered(&CheckedCase::schedule), 0.9);
}

TEST(ShippedChecks, CoverTheDevicesThatAreLeftOut) {
  EXPECT_GE(covered(&CheckedCase::device), 0.8);
}

// Sets of layouts, each of a software and a cluster, and devices.
TEST(ShippedLayouts, CoverTheSetsAndDevicesThatAreLeftOut) {
  std::vector<CheckedCase> dense = shipped_layouts();
  std::erase_if(dense, [](const CheckedCase& each) { return each.experts > 1; });
  EXPECT_GT(dense.size(), 150U);
  EXPECT_GE(covered(&CheckedCase::source, dense), 0.9);
  EXPECT_GE(covered(&CheckedCase::device, dense), 0.8);
}

TEST(ShippedChecks, CoverTheModelsThatAreLeftOut) {
  EXPECT_GE(covered(&CheckedCase::workload), 0.8);
}

TEST(ShippedChecks, CoverTheSizesThatAreLeftOut) {
  EXPECT_GE(covered([](const CheckedCase& each) { return std::to_string(each.gpus); }), 0.85);
}

TEST(ShippedChecks, SayTheNetworkAndDeviceOfTheirCluster) {
  for (const CheckedCase& each : shipped_checks()) {
    Cluster cluster = load_cluster(each.cluster);
    EXPECT_EQ(each.device, cluster.device.name);
    cluster.nodes = (each.gpus + cluster.gpus_per_node - 1) / cluster.gpus_per_node;
    EXPECT_EQ(each.network, network_class(cluster)) << each.cluster << " " << each.gpus;
  }
}

TEST(CheckedCases, NameTheFieldThatIsWrong) {
  const std::string text = R"({"format": "stepcast-checked-cases", "version": 1,
    "provenance": {"kind": "derived", "source": "made"},
    "cases": [{"source": "s", "workload": "w", "cluster": "c", "device": "d", "schedule": "ddp",
               "network": "slow", "gpus": 8, "measured_s": 0, "predicted_s": 1}]})";
  try {
    parse_checked_cases(text, "cases.json");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "cases.json: /cases/0/measured_s: expected a time above 0, found 0");
  }
}

TEST(ShippedChecks, GiveAForecastItsRange) {
  const Scenario scenario = scenario_of({.workload = "resnet50-rtx2080ti-bs64",
                                         .cluster = "rtx2080ti-16x4-10gbe",
                                         .schedules = {"dear"}});
  const Forecast forecast = plain_forecast_of(scenario, "dear");
  EXPECT_LT(forecast.likely_low, forecast.iteration_time);
  EXPECT_GT(forecast.likely_high, forecast.iteration_time);
  EXPECT_NE(forecast.error_basis.find("checked steps"), std::string::npos);
}

TEST(ShippedChecks, OfAWorkloadWhoseExpertsNobodyTellsThereIsNone) {
  const Cluster cluster{.name = "c", .nodes = 8, .gpus_per_node = 8};
  EXPECT_EQ(shipped_range("1f1b", "a100", cluster).basis, "");
  EXPECT_EQ(shipped_range("1f1b", "a100", cluster).high, 0);
  EXPECT_NE(shipped_range("1f1b", "a100", cluster, false).basis, "");
}

}  // namespace
}  // namespace stepcast
