#include "sim/study/goodput/goodput.hpp"

#include <algorithm>
#include <csignal>
#include <vector>

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "sim/study/goodput/goodput_study.hpp"
#include "sim/workers/stop.hpp"

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

TEST(Goodput, FaultsOfTheJobAsAWholeKeepAllItsNodes) {
  const GoodputRequest request{
      .mtbf = Seconds{11138}, .nodes = 16, .costs = {Seconds{30}, Seconds{600}}, .seeds = 20};
  GoodputRequest elastic = request;
  elastic.speed = [](std::uint32_t nodes, double) { return nodes / 16.0; };
  EXPECT_EQ(find_goodput(elastic).efficiency, find_goodput(request).efficiency);
  EXPECT_EQ(find_goodput(elastic).shares.slowed, 0);
}

TEST(Goodput, TheSharesOfTheTimeAddUp) {
  const Goodput goodput =
      find_goodput({.mtbf = Seconds{6490}, .costs = {Seconds{45}, Seconds{600}}});
  const JobLife& shares = goodput.shares;
  EXPECT_NEAR(shares.efficiency + shares.checkpoints + shares.lost + shares.restarting +
                  shares.waiting + shares.slowed,
              1, 1e-9);
  EXPECT_LT(goodput.p5.value, goodput.efficiency);
  EXPECT_GT(goodput.p95.value, goodput.efficiency);
}

TEST(Goodput, SeedsAreAddedUntilTheQuantilesAreKnown) {
  const GoodputRequest request{
      .mtbf = Seconds{11138}, .costs = {Seconds{30}, Seconds{600}}, .seeds = 0};
  const Goodput goodput = find_goodput(request);
  EXPECT_GE(goodput.seeds, 128U);
  for (const ShareQuantile& quantile : {goodput.p5, goodput.p50, goodput.p95}) {
    EXPECT_LT((quantile.high - quantile.low) / 2 / quantile.value, 0.01);
    EXPECT_LE(quantile.low, quantile.value);
    EXPECT_GE(quantile.high, quantile.value);
  }
}

TEST(Goodput, PartsOfTheLengthAddUpToTheWhole) {
  GoodputRequest request{.mtbf = Seconds{20000}, .costs = {Seconds{30}, Seconds{600}}, .seeds = 1};
  request.bins = 30;
  const Goodput goodput = find_goodput(request);
  double sum = 0;
  for (const GoodputBin& bin : goodput.bins)
    sum += bin.p50 / 30;
  EXPECT_NEAR(sum, goodput.efficiency, 1e-9);
}

// 8 nodes that fail once in 8 days each and are away for 2: without a spare the job waits most of
// the time; a second one helps less than the first.
TEST(Goodput, SparesAreTriedUntilTheyNoLongerPay) {
  GoodputRequest request{.nodes = 8, .costs = {Seconds{60}, Seconds{600}}, .seeds = 50};
  request.sources.emplace();
  add_fault_source(*request.sources, "node:mtbf=8d,repair=2d");
  const std::vector<SparesTried> tried = try_spares(request);
  ASSERT_GE(tried.size(), 3U);
  EXPECT_EQ(tried[0].spares, 0U);
  EXPECT_GT(tried[1].paid, tried[0].paid);
  EXPECT_NEAR(tried[2].paid, tried[2].efficiency * 8 / 10, 1e-12);
  for (std::size_t i = 1; i < tried.size(); ++i)
    EXPECT_GE(tried[i].efficiency, tried[i - 1].efficiency - 1e-3);
}

GoodputRequest many_nodes(std::uint32_t nodes, const char* law) {
  GoodputRequest request{.nodes = nodes, .costs = {Seconds{30}, Seconds{600}}, .seeds = 20};
  request.sources.emplace();
  add_fault_source(*request.sources, law);
  return request;
}

// 2,048 nodes that fail once in 256 days and are away for one: 8 are down at a time, and the job
// waited nearly always without a word of spares.
TEST(Goodput, SparesAreFoundForAJobThatWaitsForNodes) {
  GoodputRequest request = many_nodes(2048, "node:mtbf=256d,repair=24h");
  const Goodput without = find_goodput(request);
  EXPECT_GT(without.shares.waiting, 0.9);
  ASSERT_TRUE(lacks_nodes(request, without));
  const auto remedy = find_spares_remedy(request, without);
  ASSERT_TRUE(remedy);
  EXPECT_GE(remedy->spares, 8U);
  EXPECT_FALSE(remedy->restarts);
  request.spares = remedy->spares;
  // What is told is what a run with them gives.
  EXPECT_DOUBLE_EQ(find_goodput(request).efficiency, remedy->efficiency);
  EXPECT_GT(remedy->efficiency, 0.8);
}

// 64 are down at a time: with 0, 1, 2 and 4 spares nothing gets done, which ended the search.
TEST(Goodput, SparesAreTriedAsLongAsTheJobLacksNodes) {
  const GoodputRequest request = many_nodes(16384, "node:mtbf=256d,repair=24h");
  const std::vector<SparesTried> tried = try_spares(request);
  EXPECT_GT(std::ranges::max_element(tried, {}, &SparesTried::paid)->spares, 32U);
}

TEST(Goodput, APolicyThatLeavesSparesAloneIsPartOfTheRemedy) {
  GoodputRequest request = many_nodes(2048, "node:mtbf=256d,repair=24h");
  request.policy = LossPolicy::Wait;
  const auto remedy = find_spares_remedy(request, find_goodput(request));
  ASSERT_TRUE(remedy);
  EXPECT_TRUE(remedy->restarts);
}

TEST(Goodput, AJobThatHardlyWaitsLacksNoNodes) {
  const GoodputRequest request = many_nodes(8, "node:mtbf=256d,repair=1h");
  EXPECT_FALSE(lacks_nodes(request, find_goodput(request)));
  const GoodputRequest whole{.mtbf = Seconds{10800}, .costs = {Seconds{30}, Seconds{600}}};
  EXPECT_FALSE(lacks_nodes(whole, find_goodput(whole)));
}

TEST(GoodputStudy, FindsTheRemedyUnlessSparesAreChosen) {
  GoodputQuestion question{.request = many_nodes(2048, "node:mtbf=256d,repair=24h")};
  EXPECT_TRUE(answer_to(question).remedy);
  question.choose_spares = true;
  EXPECT_FALSE(answer_to(question).remedy);
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

TEST(Goodput, ASignalKeepsTheSeedsThatAreThere) {
  GoodputRequest request{.nodes = 4,
                         .costs = {Seconds{30}, Seconds{600}},
                         .interval = Seconds{3600},
                         .policy = LossPolicy::Shrink};
  request.sources.emplace();
  add_fault_source(*request.sources, "node:mtbf=2d,repair=1h");
  int left = 500;  // of some 500,000
  request.speed = [&left](std::uint32_t nodes, double) {
    if (--left == 0)
      ask_to_stop(SIGINT);
    return nodes / 4.0;
  };
  request.seeds = 1000;
  const auto found = [&] {
    const StopsBetweenJobs stops;
    return find_goodput(request);
  };
  const Goodput stopped = found();
  EXPECT_LT(stopped.seeds, 100U);
  request.seeds = stopped.seeds;
  EXPECT_EQ(found().efficiency, stopped.efficiency);
}

}  // namespace
}  // namespace stepcast
