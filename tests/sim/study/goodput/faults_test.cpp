#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "sim/study/goodput/fault_file.hpp"
#include "sim/study/goodput/fault_sources.hpp"
#include "sim/study/goodput/job_life.hpp"
#include "tests/support/input_error.hpp"
#include "tests/support/recorded_data.hpp"
#include "traces/json/given_texts.hpp"

namespace stepcast {
namespace {

RecordedFleet drawn_fleet(const NodeFaults& faults, std::uint64_t seed) {
  RecordedFleet fleet{.servers = 400, .length = Seconds{174 * 86400.0}};
  fleet.outages = draw_outages(faults, fleet.servers, fleet.length, seed);
  return fleet;
}

const std::filesystem::path kRecord =
    recorded_data("multirank/faults/fault_trace_days_0_to_174.csv");

TEST(Faults, ANodeMoreLeavesTheFaultsOfTheOthersAlone) {
  const NodeFaults faults{.mtbf = Seconds{1e5},
                          .frailty_shape = 0.56,
                          .median_repair = Seconds{1e3},
                          .repair_sigma = 2};
  const auto ten = draw_outages(faults, 10, Seconds{1e7}, 3);
  auto eleven = draw_outages(faults, 11, Seconds{1e7}, 3);
  std::erase_if(eleven, [](const Outage& outage) { return outage.node == 10; });
  ASSERT_EQ(ten.size(), eleven.size());
  for (std::size_t i = 0; i < ten.size(); ++i)
    EXPECT_EQ(ten[i].begin, eleven[i].begin);
}

TEST(Faults, ASwitchTakesItsNodesDownAtOnceAndStopsTheJobOnce) {
  FaultSources sources;
  add_fault_source(sources, "switch:nodes=4,mtbf=10d,repair=1h");
  const auto outages = draw_outages(sources, 8, Seconds{100 * 86400.0}, 1);
  ASSERT_FALSE(outages.empty());
  EXPECT_EQ(outages.size() % 4, 0U);
  for (std::size_t i = 0; i < outages.size(); i += 4)
    for (std::size_t j = 1; j < 4; ++j) {
      EXPECT_EQ(outages[i + j].begin, outages[i].begin);
      EXPECT_EQ(outages[i + j].node / 4, outages[i].node / 4);
    }
  const JobLife life = live({.nodes = 8, .interval = Seconds{3600}, .length = Seconds{1e9}},
                            {outages.begin(), outages.begin() + 4});
  EXPECT_EQ(life.faults, 1U);
  EXPECT_NEAR(mtbf_of(sources, 8).value, (10 * 86400 + 3600) / 2.0, 1e-6);
}

TEST(Faults, WhatFailsIsReadAndRefusedInALine) {
  const auto error_of = [](const char* text) -> std::string {
    FaultSources sources;
    try {
      add_fault_source(sources, text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(error_of("node:mtbf=220d,frailty=0.56,repair=24h,sigma=2.4"), "");
  EXPECT_EQ(error_of("link:mtbf=10d,share=1.5"),
            "link: share: expected a share from 0 to below 1, found \"1.5\"");
  EXPECT_EQ(error_of("switch:mtbf=10d"),
            "switch: nodes is missing: expected nodes that it takes down");
  EXPECT_EQ(error_of("node:mtbf=0s"), "node: mtbf: expected a time from 1s to 100000d");
  EXPECT_NE(error_of("nodes:mtbf=1d").find("did you mean \"node\"?"), std::string::npos);
  EXPECT_EQ(error_of("node:mtbf=1d,rapair=2h"),
            "node: unknown key \"rapair\": expected mtbf, repair, sigma, frailty; did you mean "
            "\"repair\"?");
}

TEST(Faults, AFitFindsWhatAFleetWasDrawnWith) {
  const NodeFaults truth{.mtbf = Seconds{222 * 86400.0},
                         .frailty_shape = 0.56,
                         .median_repair = Seconds{24 * 3600.0},
                         .repair_sigma = 2};
  double mtbf = 0, shape = 0, sigma = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const NodeFaults fit = fitted_to(drawn_fleet(truth, seed));
    mtbf += fit.mtbf / truth.mtbf / 20;
    shape += fit.frailty_shape / 20;
    sigma += fit.repair_sigma / 20;
  }
  EXPECT_NEAR(mtbf, 1.1, 0.12);  // repairs take time in which nothing fails
  EXPECT_NEAR(shape, 0.56, 0.15);
  EXPECT_NEAR(sigma, 2, 0.1);
}

// 312 Poisson faults, known from as many: 312 +- 1.645 sqrt(2 x 312) = 271 to 353.
TEST(Faults, AConstantRateIsTrustedWhereNothingSpeaksAgainstIt) {
  const FaultOutlook outlook =
      outlook_of(drawn_fleet({.mtbf = Seconds{222 * 86400.0}, .median_repair = Seconds{1}}, 1));
  EXPECT_FALSE(outlook.trust_bursts);
  const double half = 1.645 * std::sqrt(2 * outlook.faults);
  EXPECT_NEAR(outlook.poisson.high - outlook.poisson.low, 2 * half, 0.1 * half);
}

// As many were made ready one by one: 20 s, and gigabytes.
TEST(Faults, AFleetOfBillionsIsRefused) {
  const GivenTexts given(std::map<std::string, std::string>{
      {"faults.csv", "start_day,end_day,server\n0,1,999999\n3,3.5,0\n"}});
  EXPECT_EQ(read_fleet("faults.csv", std::nullopt, {}).servers, 1'000'000U);
  EXPECT_EQ(input_error_of([] { read_fleet("faults.csv", 4'294'967'295U, {}); }),
            "`servers`: expected at most 1000000, found 4294967295");
}

TEST(FaultOutlook, BandsOfTheRecordedFleetForTheNextTimeOfThisLength) {
  STEPCAST_SKIP_WITHOUT(kRecord);
  const FaultOutlook outlook = outlook_of(read_fleet(kRecord.string(), 400, 174));
  EXPECT_EQ(outlook.faults, 312);
  EXPECT_TRUE(outlook.trust_bursts);
  EXPECT_NEAR(outlook.poisson.low, 271, 3);
  EXPECT_NEAR(outlook.poisson.high, 355, 3);
  EXPECT_NEAR(outlook.bursts.low, 127, 15);
  EXPECT_NEAR(outlook.bursts.high, 557, 25);
}

// What each half and sixth of the record would have said of what came next. A constant rate, known
// from the i sixths before as m a sixth, gives m +- 1.645 sqrt(m + m / i): with 90 % it should hold
// the next; of five it misses four. Over half a year both bands hold, as a burst evens out.
TEST(FaultOutlook, AConstantRateMissesMostOfTheNextMonths) {
  STEPCAST_SKIP_WITHOUT(kRecord);
  const RecordedFleet all = read_fleet(kRecord.string(), 400, 174);
  std::array<double, 6> sixths{};
  for (const Outage& outage : all.outages)
    sixths[std::min<std::size_t>(static_cast<std::size_t>(outage.begin / all.length * 6), 5)] += 1;
  double before = sixths[0];
  int missed = 0;
  for (std::size_t i = 1; i < 6; ++i) {
    const double mean = before / static_cast<double>(i);
    missed += std::abs(sixths[i] - mean) > 1.645 * std::sqrt(mean + mean / static_cast<double>(i));
    before += sixths[i];
  }
  EXPECT_EQ(missed, 4);
  RecordedFleet half{.servers = 400, .length = all.length / 2, .outages = {}};
  std::ranges::copy_if(all.outages, std::back_inserter(half.outages),
                       [&](const Outage& outage) { return outage.begin < half.length; });
  const auto next = static_cast<double>(all.outages.size() - half.outages.size());
  const FaultOutlook outlook = outlook_of(half);
  EXPECT_TRUE(outlook.trust_bursts);
  for (const FaultBand& band : {outlook.poisson, outlook.bursts}) {
    EXPECT_GE(next, band.low);
    EXPECT_LE(next, band.high);
  }
}

}  // namespace
}  // namespace stepcast
