#include "sim/study/goodput/goodput.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

struct Golden {
  double mtbf;
  double checkpoint;
  double interval;
  double efficiency;
};

// Restarts take 600 s: 16,384 GPUs, and two smaller or worse clusters.
constexpr Golden kGolden[] = {
    {11138, 30, 797, 0.8797}, {103846, 60, 3490, 0.9608}, {6490, 30, 0, 0.793}};

TEST(Goodput, DalysFormGivesTheTabledIntervals) {
  EXPECT_NEAR(daly_interval(Seconds{30}, Seconds{11138}).value, 797, 1);
  EXPECT_NEAR(daly_interval(Seconds{60}, Seconds{103846}).value, 3490, 3.5);
  EXPECT_NEAR(daly_efficiency(Seconds{797}, {Seconds{30}, Seconds{600}}, Seconds{11138}), 0.8797,
              1e-4);
  EXPECT_NEAR(daly_efficiency(Seconds{3490}, {Seconds{60}, Seconds{600}}, Seconds{103846}), 0.9608,
              1e-4);
}

TEST(Goodput, SeedsGiveDalysEfficiencyWithinAPercent) {
  for (const Golden& golden : kGolden) {
    const CheckpointCosts costs{Seconds{golden.checkpoint}, Seconds{600}};
    const Seconds mtbf{golden.mtbf};
    const Seconds interval = daly_interval(costs.checkpoint, mtbf);
    const Goodput goodput = find_goodput({.mtbf = mtbf, .costs = costs, .interval = interval});
    const double exact = daly_efficiency(interval, costs, mtbf);
    EXPECT_NEAR(goodput.efficiency, exact, 0.01 * exact);
  }
}

TEST(Goodput, TheSharesOfTheTimeAddUp) {
  const Goodput goodput =
      find_goodput({.mtbf = Seconds{6490}, .costs = {Seconds{45}, Seconds{600}}});
  const JobLife& shares = goodput.shares;
  EXPECT_NEAR(
      shares.efficiency + shares.checkpoints + shares.lost + shares.restarting + shares.waiting, 1,
      1e-9);
  EXPECT_LT(goodput.p5, goodput.efficiency);
  EXPECT_GT(goodput.p95, goodput.efficiency);
}

// One fault of a held node at 1000 s of 2000 s: interval 300, checkpoint 10, restart 50. Three
// segments of 310 s are done by 930 s; 70 s are lost; 950 s are left for 3 segments and 20 s.
TEST(Goodput, AFaultGoesBackToTheLastCheckpoint) {
  const LifeOptions options{.nodes = 2,
                            .spares = 1,
                            .interval = Seconds{300},
                            .costs = {Seconds{10}, Seconds{50}},
                            .length = Seconds{2000}};
  const JobLife life = live(options, {{0, Seconds{1000}, Seconds{5000}}});
  EXPECT_EQ(life.faults, 1U);
  EXPECT_NEAR(life.lost * 2000, 70, 1e-9);
  EXPECT_NEAR(life.restarting * 2000, 50, 1e-9);
  EXPECT_NEAR(life.efficiency * 2000, 900 + 900 + 20, 1e-9);
}

// Without a spare it waits from 1000 s to 1400 s, or goes on at half speed, in segments of 610 s,
// of which none ends until the node is back.
TEST(Goodput, WithoutASpareItWaitsOrShrinks) {
  LifeOptions options{.nodes = 2,
                      .interval = Seconds{300},
                      .costs = {Seconds{10}, Seconds{50}},
                      .length = Seconds{2000}};
  const std::vector<Outage> outages{{0, Seconds{1000}, Seconds{1400}}};
  const JobLife waits = live(options, outages);
  EXPECT_NEAR(waits.waiting * 2000, 400, 1e-9);
  EXPECT_NEAR(waits.efficiency * 2000, 900 + 300 + 240, 1e-9);
  options.policy = LossPolicy::Shrink;
  const JobLife shrinks = live(options, outages);
  EXPECT_EQ(shrinks.waiting, 0);
  EXPECT_NEAR(shrinks.efficiency * 2000, 900 + 350 / 2.0 + 300 + 240, 1e-9);
}

TEST(Goodput, ASpareThatFailsIsNotTaken) {
  const LifeOptions options{
      .nodes = 1, .spares = 1, .interval = Seconds{1e9}, .length = Seconds{100}};
  const JobLife life =
      live(options, {{1, Seconds{10}, Seconds{90}}, {0, Seconds{20}, Seconds{80}}});
  EXPECT_NEAR(life.waiting * 100, 60, 1e-9);
  EXPECT_EQ(life.faults, 1U);
}

TEST(Goodput, ANodeMoreLeavesTheFaultsOfTheOthersAlone) {
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

RecordedFleet drawn_fleet(const NodeFaults& faults, std::uint64_t seed) {
  RecordedFleet fleet{.servers = 400, .length = Seconds{174 * 86400.0}};
  fleet.outages = draw_outages(faults, fleet.servers, fleet.length, seed);
  return fleet;
}

TEST(Goodput, AFitFindsWhatAFleetWasDrawnWith) {
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
TEST(Goodput, AConstantRateIsTrustedWhereNothingSpeaksAgainstIt) {
  const FaultOutlook outlook =
      outlook_of(drawn_fleet({.mtbf = Seconds{222 * 86400.0}, .median_repair = Seconds{1}}, 1));
  EXPECT_FALSE(outlook.trust_bursts);
  const double half = 1.645 * std::sqrt(2 * outlook.faults);
  EXPECT_NEAR(outlook.poisson.high - outlook.poisson.low, 2 * half, 0.1 * half);
}

TEST(Goodput, HopelessCostsAreWarnedOf) {
  const GoodputRequest request{.mtbf = Seconds{100}, .costs = {Seconds{300}, Seconds{600}}};
  EXPECT_EQ(warnings_of(request, find_goodput(request)).size(), 2U);
  EXPECT_THROW(find_goodput({.costs = {Seconds{1}, Seconds{1}}}), InputError);
}

TEST(Goodput, WhereNoRunGetsThroughNoneIsTried) {
  GoodputRequest request{.mtbf = Seconds{1}, .costs = {Seconds{30}, Seconds{600}}};
  EXPECT_THROW(find_goodput(request), InputError);
  request.mtbf = Seconds{1e-6};
  EXPECT_THROW(find_goodput(request), InputError);
  request = {.mtbf = Seconds{1e3}, .costs = {Seconds{30}, Seconds{600}}, .seeds = 100'000};
  EXPECT_THROW(find_goodput(request), InputError);
}

TEST(Goodput, ARunOfNoTimeIsRefusedAndOneShorterThanTheIntervalWarnedOf) {
  GoodputRequest request{.mtbf = Seconds{11138},
                         .costs = {Seconds{30}, Seconds{600}},
                         .interval = Seconds{1000},
                         .length = {}};
  EXPECT_THROW(find_goodput(request), InputError);
  request.length = Seconds{500};
  EXPECT_EQ(warnings_of(request, find_goodput(request)).size(), 1U);
  request.length = Seconds{1e5};
  EXPECT_TRUE(warnings_of(request, find_goodput(request)).empty());
}

}  // namespace
}  // namespace stepcast
