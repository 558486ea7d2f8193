#include "sim/forecast/idle_settings.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "sim/forecast/effects.hpp"
#include "sim/forecast/scenario.hpp"

namespace stepcast {
namespace {

using Numbers = std::vector<std::size_t>;

/// The largest factor decides, as of stragglers that all ranks wait for.
Numbers idle_among(const std::vector<double>& factors) {
  const auto slowest_without = [&](const Numbers& left_out) {
    double slowest = 1;
    for (std::size_t i = 0; i < factors.size(); ++i)
      if (std::ranges::find(left_out, i) == left_out.end())
        slowest = std::max(slowest, factors[i]);
    return slowest;
  };
  return idle_settings(factors.size(), [&](const Numbers& left_out) {
    return slowest_without(left_out) == slowest_without({});
  });
}

TEST(IdleSettings, OfOneThatDecidesTheOthersAreIdle) {
  EXPECT_EQ(idle_among({3, 1.5, 2}), (Numbers{1, 2}));
  EXPECT_EQ(idle_among({1, 1}), (Numbers{0, 1}));
  EXPECT_EQ(idle_among({}), Numbers{});
}

// Without either of the two the other one still decides.
TEST(IdleSettings, ThoseThatCanStandInForEachOtherAreNot) {
  EXPECT_EQ(idle_among({3, 3}), Numbers{});
  EXPECT_EQ(idle_among({3, 3, 3}), Numbers{});
}

TEST(IdleSettings, OneThatCannotStandInForThemIs) {
  EXPECT_EQ(idle_among({3, 1.5, 3}), Numbers{1});
  EXPECT_EQ(idle_among({2, 3, 2, 3, 1}), (Numbers{0, 2, 4}));
}

std::string notes_of(const std::vector<std::string>& settings,
                     const std::vector<std::string>& slow = {}) {
  Scenario scenario = scenario_of({.workload = "resnet50-rtx2080ti-bs32",
                                   .cluster = "rtx2080ti-16x4-ib100",
                                   .schedules = {"ddp"},
                                   .fidelity = "analytic",
                                   .settings = parse_settings(settings)});
  add_chance(scenario, slow, 0, {});
  const Forecast forecast = forecast_of(scenario, "ddp");
  std::string text;
  for (const Note& note : forecast.notes)
    if (note.text.find("changed nothing") != std::string::npos)
      text += note.text.substr(0, note.text.find(" changed")) + "\n";
  return text;
}

TEST(IdleSettings, TwoEqualStragglersAreNotSaidToChangeNothing) {
  EXPECT_EQ(notes_of({"straggler.1=3", "straggler.2=3"}), "");
  EXPECT_EQ(notes_of({"straggler.1=3", "straggler.2=3", "straggler.3=1.5"}), "straggler.3=1.5\n");
}

TEST(IdleSettings, LawsOfSlowRanksCountWithStragglers) {
  EXPECT_EQ(notes_of({}, {"rank=1,factor=3", "rank=2,factor=3"}), "");
  EXPECT_EQ(notes_of({"straggler.1=3"}, {"rank=2,factor=3"}), "");
  EXPECT_EQ(notes_of({"straggler.1=3"}, {"rank=2,factor=2"}), "slow rank=2,factor=2\n");
}

// Either slower link would hold the ring of all nodes up alone.
TEST(IdleSettings, TwoSlowLinksAreNotSaidToChangeNothing) {
  EXPECT_EQ(notes_of({}, {"rank=4,factor=8,on=network", "rank=40,factor=8,on=network"}), "");
}

}  // namespace
}  // namespace stepcast
