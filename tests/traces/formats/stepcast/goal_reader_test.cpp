#include "traces/formats/stepcast/goal_reader.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

std::string goal_text(const std::string& attempt, const std::string& samples) {
  return fmt::format(R"({{"format": "stepcast-goal", "version": 1, "name": "n", "target": "t"{},
      "attempts": [{{"schedule": "spd-kfac", {}"provenance": {{"kind": "assumed", "source": "s"}}}}
      ]}})",
                     samples, attempt);
}

std::string error_of(const std::string& attempt, const std::string& samples) {
  return input_error_of([&] { parse_goal(goal_text(attempt, samples), "g.json"); });
}

TEST(GoalReader, ReadsEveryField) {
  const Goal goal =
      parse_goal(goal_text(R"("label": "l", "options": {"inverse_interval": "10"}, "epochs": 55, )",
                           R"(, "samples": 1000, "model": "resnet50")"),
                 "g.json");
  EXPECT_EQ(goal.samples, 1000U);
  EXPECT_EQ(goal.model, "resnet50");
  EXPECT_EQ(goal.attempts.front().label, "l");
  EXPECT_EQ(goal.attempts.front().options.at("inverse_interval"), "10");
  EXPECT_EQ(goal.attempts.front().epochs, 55);
  EXPECT_FALSE(goal.attempts.front().iterations);
}

TEST(GoalReader, RefusesWhatCannotBeCounted) {
  EXPECT_EQ(error_of("", ""), "g.json: /attempts/0/epochs: expected either epochs or iterations");
  EXPECT_EQ(error_of(R"("epochs": 55, )", ""),
            "g.json: /samples: expected the samples of an epoch, as an attempt counts epochs");
  EXPECT_EQ(error_of(R"("iterations": 0, )", ""),
            "g.json: /attempts/0/iterations: expected a number above 0, found 0");
  EXPECT_EQ(error_of(R"("iterations": 5, "options": {"a": 1}, )", ""),
            "g.json: /attempts/0/options: expected text for \"a\", found 1");
}

TEST(GoalReader, ShippedGoalsAreReadAndUnknownOnesAreNamed) {
  for (const std::string& name : goal_names())
    EXPECT_FALSE(load_goal(name).attempts.empty()) << name;
  EXPECT_NE(input_error_of([] { load_goal("resnet50-imagent"); }).find("resnet50-imagenet"),
            std::string::npos);
}

}  // namespace
}  // namespace stepcast
