#include "sim/report/text/solution.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

// 1,000 samples at 4 x 64 a step are 3.9 steps: 4 an epoch.
TEST(Solution, AnEpochEndsWithASmallerStep) {
  EXPECT_EQ(iterations_of(90, 1000, 64 * 4), 360);
}

// 100 steps of 36 s are an hour; 50 steps of 54 s are 45 minutes.
TEST(Solution, TheFasterEndToEndIsNamedThoughItsStepIsSlower) {
  const std::vector<Solution> solutions{
      {.label = "SGD", .schedule = "horovod", .iterations = 100, .step = Seconds{36}},
      {.label = "K-FAC", .schedule = "d-kfac", .iterations = 50, .step = Seconds{54}}};
  const std::string text = render_solutions("heading", solutions);
  EXPECT_NE(text.find("K-FAC gets there first: 0.75 h instead of 1.00 h with SGD"),
            std::string::npos);
  EXPECT_NE(text.find("1.50 times"), std::string::npos);
  EXPECT_NE(text.find("1.333"), std::string::npos);
}

// 100 steps of 2 s are 200 s, 50 steps of 1 s are 50 s: 0.01 h, and the step is shorter as well.
TEST(Solution, ShortTimesHaveAUnitThatShowsThem) {
  const std::vector<Solution> solutions{
      {.label = "SGD", .schedule = "horovod", .iterations = 100, .step = Seconds{2}},
      {.label = "K-FAC", .schedule = "d-kfac", .iterations = 50, .step = Seconds{1}}};
  const std::string text = render_solutions("heading", solutions);
  EXPECT_NE(text.find("K-FAC gets there first: 50 s instead of 200 s with SGD."), std::string::npos)
      << text;
}

TEST(Solution, ANoteOfTwoWaysIsSaidOnceAndNamesBoth) {
  const Notes notes{{.text = "mind the gap"}};
  const auto way = [](const char* label, const Notes& carried) {
    return Solution{
        .label = label, .schedule = "ddp", .iterations = 1, .step = Seconds{1}, .notes = carried};
  };
  const std::vector<Solution> solutions{way("a", {}), way("b", notes), way("c", notes)};
  const std::string text = render_solutions("heading", solutions);
  EXPECT_TRUE(text.ends_with("\nNote on b, c: mind the gap\n")) << text;
}

// Nothing is said of rounds unless a way trains in stages.
TEST(Solution, RoundsAreToldWhereTheyAreKnown) {
  std::vector<Solution> solutions{
      {.label = "a", .schedule = "ddp", .iterations = 26'000, .step = Seconds{1}},
      {.label = "b", .schedule = "local-sgd", .iterations = 26'000, .step = Seconds{1}}};
  const auto json = [&] { return solutions_json("t", "w", "c", "flow", solutions); };
  EXPECT_EQ(render_solutions("heading", solutions).find("rounds"), std::string::npos);
  EXPECT_EQ(json().find("rounds"), std::string::npos);
  solutions[1].rounds = 1462;
  EXPECT_NE(render_solutions("heading", solutions).find("1462"), std::string::npos);
  EXPECT_NE(json().find("\"rounds\": 1462"), std::string::npos);
}

}  // namespace
}  // namespace stepcast
