#include "traces/formats/kineto/layers/joined_layers.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace stepcast {
namespace {

/// Operators by kind, numbered as a reader numbers them: 1 ms forward and 2 ms backward, but
/// "item", which takes 1 us.
StepLayers step_of(std::uint32_t number, const std::vector<std::string>& kinds) {
  StepLayers step{.step = number, .duration = Seconds{1}};
  std::map<std::string, int> uses;
  for (const std::string& kind : kinds) {
    const bool small = kind == "item";
    step.layers.push_back({.name = fmt::format("{}-{}", kind, uses[kind]++),
                           .kind = kind,
                           .forward = Seconds{small ? 1e-6 : 1e-3},
                           .backward = Seconds{small ? 0 : 2e-3},
                           .gradients = {},
                           .work = 1});
  }
  return step;
}

std::vector<std::string> names_of(const StepLayers& step) {
  std::vector<std::string> names;
  for (const LayerTimes& layer : step.layers)
    names.push_back(layer.name);
  return names;
}

using Names = std::vector<std::string>;

// Five of six steps log something, each elsewhere: all do the same work, to a thousandth.
TEST(JoinedLayers, StepsThatDoTheSameWorkAreJoined) {
  std::vector<StepLayers> steps{step_of(0, {"conv", "relu", "linear", "loss"}),
                                step_of(1, {"item", "conv", "relu", "linear", "loss"}),
                                step_of(2, {"conv", "relu", "item", "linear", "loss"}),
                                step_of(3, {"conv", "relu", "linear", "item", "loss"}),
                                step_of(4, {"conv", "relu", "linear", "loss", "item"}),
                                step_of(5, {"item", "conv", "item", "relu", "linear", "loss"})};
  ImportReport report;
  join_layers(steps, report);
  ASSERT_EQ(steps.size(), 6U);
  EXPECT_TRUE(report.skipped().empty());
  for (const StepLayers& step : steps)
    EXPECT_EQ(names_of(step), names_of(steps.front()));
  const auto conv = [](const StepLayers& step) {
    return std::ranges::find(step.layers, "conv-0", &LayerTimes::name)->forward;
  };
  for (const StepLayers& step : steps)
    EXPECT_EQ(conv(step), Seconds{1e-3});
  // What a step lacks takes no time: the sum of each is its own.
  Seconds sum{};
  for (const LayerTimes& layer : steps[0].layers)
    sum += layer.forward;
  EXPECT_NEAR(sum.value, 4e-3, 1e-12);
}

// A convolution more in front renames all behind it; joined by their order they stay themselves.
TEST(JoinedLayers, NamesThatCountThroughDoNotMatter) {
  std::vector<StepLayers> steps{step_of(0, Names(20, "conv")), step_of(1, Names(21, "conv")),
                                step_of(2, Names(20, "conv"))};
  ImportReport report;
  join_layers(steps, report);
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[0].layers.size(), 21U);
}

TEST(JoinedLayers, AStepOfOtherWorkIsLeftOutAndMostIsMoreThanHalf) {
  const Names training{"conv", "relu", "linear", "loss"};
  std::vector<StepLayers> steps{step_of(0, training), step_of(1, {"conv", "relu"}),
                                step_of(2, training), step_of(3, training)};
  ImportReport report;
  join_layers(steps, report);
  EXPECT_EQ(steps.size(), 3U);
  EXPECT_EQ(report.skipped().at("step with other work than most").first, "step 1");
}

// Two of six are alike, and no others: the two are no "most".
TEST(JoinedLayers, WhereThereIsNoMajorityTheReportSaysSo) {
  std::vector<StepLayers> steps;
  for (std::uint32_t i = 0; i < 6; ++i)
    steps.push_back(step_of(i, Names(i < 2 ? 2 : 4 * i, "conv")));
  ImportReport report;
  join_layers(steps, report);
  EXPECT_EQ(steps.size(), 2U);
  EXPECT_EQ(
      report.skipped().at("step with other work than the largest number that are alike").count, 4U);
}

// An evaluation runs the layers forward only.
TEST(JoinedLayers, AStepWithoutABackwardPassDoesOtherWork) {
  const Names training{"conv", "relu", "linear", "loss"};
  std::vector<StepLayers> steps{step_of(0, training), step_of(1, training), step_of(2, training)};
  for (LayerTimes& layer : steps[2].layers)
    layer.backward = {};
  ImportReport report;
  join_layers(steps, report);
  EXPECT_EQ(steps.size(), 2U);
}

// A step whose kernels take longer does the same work.
TEST(JoinedLayers, ASlowStepDoesTheSameWork) {
  const Names training{"conv", "relu"};
  std::vector<StepLayers> steps{step_of(0, training), step_of(1, training)};
  for (LayerTimes& layer : steps[1].layers)
    layer.forward = layer.forward * 3;
  ImportReport report;
  join_layers(steps, report);
  EXPECT_EQ(steps.size(), 2U);
}

}  // namespace
}  // namespace stepcast
