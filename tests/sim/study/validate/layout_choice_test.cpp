#include "sim/study/validate/cases/layout_choice.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace stepcast {
namespace {

PredictedCase layout(std::uint32_t tensor, double measured, double predicted) {
  PredictedCase each{.predicted = Seconds{predicted}};
  each.row.set = "mine";
  each.row.model = "small";
  each.row.tensor = tensor;
  each.row.measured = Seconds{measured};
  return each;
}

TEST(LayoutSweeps, CountPairsInOrderAndWhatTheChoiceLoses) {
  // Of six pairs one is the wrong way round: tau = (5 - 1) / 6; the one chosen takes 2 % more.
  const auto sweeps =
      layout_sweeps({layout(1, 1.02, 0.9), layout(2, 1.0, 1.1), layout(4, 2, 2), layout(8, 3, 4)});
  ASSERT_EQ(sweeps.size(), 1U);
  EXPECT_NEAR(sweeps[0].tau, 4 / 6.0, 1e-12);
  EXPECT_NEAR(sweeps[0].lost, 0.02, 1e-12);
  EXPECT_EQ(sweeps[0].layouts, 4U);
}

TEST(LayoutSweeps, LeaveTiesOutOfBothSides) {
  // Two forecasts are equal: five pairs apart of six, all in order: 5 / sqrt(6 x 5).
  const auto sweeps =
      layout_sweeps({layout(1, 1, 1), layout(2, 2, 1), layout(4, 3, 2), layout(8, 4, 3)});
  EXPECT_NEAR(sweeps[0].tau, 5 / std::sqrt(30.0), 1e-12);
}

TEST(LayoutSweeps, AreOfOneJobAndOfSeveralLayouts) {
  std::vector<PredictedCase> cases{layout(1, 1, 1), layout(2, 2, 2), layout(4, 3, 3),
                                   layout(8, 4, 4)};
  cases[3].row.global_batch = 7;
  EXPECT_TRUE(layout_sweeps(cases).empty());
  EXPECT_EQ(layout_sweeps(cases, 3).size(), 1U);
}

TEST(LayoutSweeps, CountALayoutThatWasMeasuredAgainOnce) {
  const auto sweeps = layout_sweeps(
      {layout(1, 1.1, 1), layout(1, 0.9, 1), layout(2, 2, 2), layout(4, 3, 3), layout(8, 4, 4)});
  ASSERT_EQ(sweeps.size(), 1U);
  EXPECT_EQ(sweeps[0].layouts, 4U);
  EXPECT_EQ(sweeps[0].lost, 0.0);  // its fastest run says nothing against the others
  EXPECT_EQ(sweeps[0].tau, 1.0);
  EXPECT_TRUE(
      layout_sweeps({layout(1, 1, 1), layout(1, 2, 1), layout(1, 3, 1), layout(1, 4, 1)}).empty());
}

TEST(LayoutSweeps, GiveForecastsThatOrderNothingNoCredit) {
  const auto sweeps =
      layout_sweeps({layout(1, 1, 1), layout(2, 2, 1), layout(4, 3, 1), layout(8, 4, 1)});
  EXPECT_EQ(sweeps[0].tau, 0.0);
}

TEST(SetChoices, TellHowManySweepsComeNearTheirBest) {
  const std::vector<SetChoice> choices = choices_of({{.set = "a", .lost = 0.0, .tau = 0.9},
                                                     {.set = "b", .lost = 0.2, .tau = 0.1},
                                                     {.set = "a", .lost = 0.05, .tau = 0.7},
                                                     {.set = "a", .lost = 0.01, .tau = 0.8}});
  ASSERT_EQ(choices.size(), 2U);
  EXPECT_EQ(choices[0].sweeps, 3U);
  EXPECT_EQ(choices[0].near_best, 2U);
  EXPECT_EQ(choices[0].worst, 0.05);
  EXPECT_EQ(choices[0].tau, 0.8);
}

}  // namespace
}  // namespace stepcast
