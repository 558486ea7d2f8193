#include "models/network/slow_down_text.hpp"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

SlowDown read(std::string_view text, std::uint32_t ranks_per_node = 1) {
  SlowDown slow{.ranks_per_node = ranks_per_node};
  add_slow_down(slow, text);
  return slow;
}

double transfer(const SlowDown& slow, std::vector<Rank> members, std::uint32_t iteration,
                std::uint32_t number) {
  return slow.transfer_factor(members, iteration, number);
}

std::string error_of(std::string_view text) {
  try {
    read(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

double mean_of(const SlowDown& slow) {
  double sum = 0;
  for (std::uint32_t i = 0; i < 100'000; ++i)
    sum += slow.factor(i % 100, i / 100);
  return sum / 100'000;
}

TEST(SlowDownText, MeansAreThoseOfTheLaws) {
  EXPECT_NEAR(mean_of(read("bernoulli:factor=6,p=1/16")), 1 + 5.0 / 16, 0.02);
  EXPECT_NEAR(mean_of(read("lognormal:sigma=0.14")), std::exp(0.14 * 0.14 / 2), 0.002);
  EXPECT_NEAR(mean_of(read("exponential:mean=0.1")), 1.1, 0.002);
  EXPECT_NEAR(mean_of(read("pareto:alpha=3")), 1.5, 0.01);
  EXPECT_NEAR(mean_of(read("rank=3,factor=5")), 1.04, 1e-9);
}

// A length that is log-uniform in [10, 100] has the mean 90 / ln 10 = 39.1. Poisson starts at one
// in 1000: a rank is in no episode with exp(-39.1 / 1000).
TEST(SlowDownText, EpisodesTakeTheShareOfTimeThatTheirLengthsSay) {
  const SlowDown slow = read("episodes:factor=2,every=1000,least=10,most=100");
  double slow_time = 0;
  constexpr std::uint32_t kDraws = 400'000;
  for (std::uint32_t i = 0; i < kDraws; ++i)
    slow_time += slow.factor(i / 4000, 1000 + i % 4000) - 1;
  EXPECT_NEAR(slow_time / kDraws, 1 - std::exp(-90 / std::log(10.0) / 1000), 0.004);
}

TEST(SlowDownText, RanksOfANodeMayShareADraw) {
  const SlowDown slow = read("lognormal:sigma=0.3,per=node", 4);
  EXPECT_EQ(slow.factor(4, 9), slow.factor(7, 9));
  EXPECT_NE(slow.factor(3, 9), slow.factor(4, 9));
  EXPECT_EQ(slow.kind_of(4), slow.kind_of(7));
  EXPECT_NE(slow.kind_of(3), slow.kind_of(4));
}

TEST(SlowDownText, ADrawMayHoldForAllIterations) {
  const SlowDown slow = read("lognormal:sigma=0.3,drawn=once");
  EXPECT_EQ(slow.factor(4, 9), slow.factor(4, 0));
  EXPECT_NE(slow.factor(4, 9), slow.factor(5, 9));
}

TEST(SlowDownText, ARankMoreLeavesTheDrawsOfTheOthersAlone) {
  SlowDown slow = read("lognormal:sigma=0.3");
  const double before = slow.factor(3, 5);
  add_slow_down(slow, "rank=9,factor=2");
  EXPECT_EQ(slow.factor(3, 5), before);
}

TEST(SlowDownText, TransfersAreDrawnByThemselves) {
  const SlowDown slow = read("lognormal:sigma=0.3,on=network");
  EXPECT_TRUE(slow.is_chance());
  EXPECT_EQ(slow.factor(1, 2), 1);
  EXPECT_NE(transfer(slow, {1}, 2, 3), transfer(slow, {1}, 2, 4));
}

// A node's jitter is the same for all its transfers, and one that leaves it meets the slower end.
TEST(SlowDownText, TransfersOfANodeMayShareADraw) {
  const SlowDown slow = read("lognormal:sigma=0.3,on=network,per=node", 4);
  EXPECT_EQ(transfer(slow, {4}, 2, 3), transfer(slow, {7}, 2, 4));
  EXPECT_NE(transfer(slow, {3}, 2, 3), transfer(slow, {4}, 2, 3));
  EXPECT_EQ(transfer(slow, {3, 4}, 2, 3),
            std::max(transfer(slow, {3}, 2, 3), transfer(slow, {4}, 2, 3)));
}

// As many iterations are slow as with episodes of compute, for all of a node's ranks and transfers.
TEST(SlowDownText, ALinkMayFailSlowForAWhile) {
  const SlowDown slow =
      read("episodes:factor=4,every=1000,least=10,most=100,on=network,per=node", 4);
  double slow_time = 0;
  for (std::uint32_t iteration = 1000; iteration < 101'000; ++iteration) {
    const double factor = transfer(slow, {5}, iteration, 1);
    EXPECT_EQ(transfer(slow, {6, 7}, iteration, 9), factor);
    slow_time += factor == 4;
  }
  EXPECT_NEAR(slow_time / 100'000, 1 - std::exp(-90 / std::log(10.0) / 1000), 0.02);
  EXPECT_EQ(slow.factor(5, 3), 1);
}

TEST(SlowDownText, RecordedStepsAreDrawnWhole) {
  SlowDown slow;
  add_slow_down(slow, "recorded:file=job", [](const std::string& name) {
    return SlowDown::Recorded{.steps = {{1, 2}, {3, 4}, {5, 6}}, .origin = name};
  });
  bool seen[3]{};
  for (std::uint32_t iteration = 0; iteration < 100; ++iteration) {
    const double first = slow.factor(0, iteration);
    EXPECT_EQ(slow.factor(1, iteration), first + 1);
    EXPECT_EQ(slow.factor(2, iteration), first);  // ranks beyond the recorded begin again
    seen[static_cast<int>(first) / 2] = true;
  }
  EXPECT_TRUE(seen[0] && seen[1] && seen[2]);
}

TEST(SlowDownText, BadInputIsToldInALine) {
  EXPECT_EQ(error_of("bernoulli:factor=6,p=1.5"),
            "bernoulli: p: expected a probability between 0 and 1, found \"1.5\"");
  EXPECT_EQ(error_of("lognormal:sigma=-1"),
            "lognormal: sigma: expected a number from 0 to 3, found \"-1\"");
  EXPECT_EQ(error_of("lognormal:"), "lognormal: sigma is missing: expected a number from 0 to 3");
  EXPECT_EQ(error_of("pareto:alpha=1"),
            "pareto: alpha: expected a number above 1 and at most 1e6, found \"1\"");
  EXPECT_NE(error_of("bernouli:p=1").find("did you mean \"bernoulli\"?"), std::string::npos);
  EXPECT_NE(error_of("lognormal:sigma=1,sigmb=2").find("unknown key \"sigmb\""), std::string::npos);
  EXPECT_NE(error_of("lognormal:sigma=1,per=rack").find("expected rank or node or all"),
            std::string::npos);
  EXPECT_THROW(check_ranks(read("rank=4,factor=2"), 4), InputError);
}

TEST(SlowDownText, WhatNoMachineDoesIsRefusedWithTheBound) {
  EXPECT_EQ(error_of("rank=3,factor=1e20"),
            "rank: factor: expected a number above 0 and at most 1e6, found \"1e20\"");
  EXPECT_EQ(error_of("bernoulli:factor=1e40,p=0.5"),
            "bernoulli: factor: expected a number above 0 and at most 1e6, found \"1e40\"");
  EXPECT_EQ(error_of("lognormal:sigma=1000,on=network"),
            "lognormal: sigma: expected a number from 0 to 3, found \"1000\"");
  EXPECT_EQ(error_of("exponential:mean=1e9"),
            "exponential: mean: expected a number from 0 to 1e6, found \"1e9\"");
  EXPECT_EQ(error_of("episodes:factor=1e9,every=10,least=1,most=2"),
            "episodes: factor: expected a number above 0 and at most 1e6, found \"1e9\"");
  EXPECT_EQ(error_of("episodes:factor=2,every=1,least=1,most=1e9"),
            "episodes: most: expected at most 1000 times every (1000), found 1000000000");
}

TEST(SlowDownText, LawsThatMultiplyToNoPlausibleFactorAreRefusedWhenDrawn) {
  SlowDown slow = read("rank=3,factor=1e6");
  add_slow_down(slow, "rank=3,factor=1e6");
  EXPECT_EQ(slow.factor(2, 0), 1);
  EXPECT_THROW(slow.factor(3, 0), InputError);
}

}  // namespace
}  // namespace stepcast
