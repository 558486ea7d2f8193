#include "sim/cli/typed_counts.hpp"

#include <gtest/gtest.h>

#include "tests/sim/cli/run_cli.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

const Goal kGoal{
    .name = "g",
    .target = "t",
    .samples = 1000,
    .attempts = {{.label = "SGD", .schedule = "d-kfac", .epochs = 90},
                 {.label = "SGD, metrics not averaged", .schedule = "horovod", .epochs = 90},
                 {.label = "D-KFAC", .schedule = "d-kfac", .epochs = 55}}};

std::string error_with(const TypedCounts& counts) {
  return input_error_of([&] { with_counts(kGoal, counts); });
}

std::string error_of(const TypedCounts& counts) {
  return input_error_of([&] { goal_of(counts); });
}

TEST(TypedCounts, ReplaceTheCountOfTheWayTheyNameAndNoOther) {
  const Goal goal =
      with_counts(kGoal, {.epochs = {{"sgd=80"}}, .iterations = {{"d-kfac=7", "horovod=9"}}});
  EXPECT_EQ(goal.attempts[0].epochs, 80);
  EXPECT_EQ(goal.attempts[1].iterations, 9);
  EXPECT_FALSE(goal.attempts[1].epochs);
  EXPECT_EQ(goal.attempts[2].iterations, 7);
  const Goal other = with_counts(kGoal, {.epochs = {{"D-KFAC=50"}}});
  EXPECT_EQ(other.attempts[0].epochs, 90);
  EXPECT_FALSE(other.attempts[0].given);
  EXPECT_TRUE(other.attempts[2].given);
  EXPECT_EQ(other.samples, 1000U);
}

TEST(TypedCounts, SamplesReplaceThoseOfTheGoal) {
  EXPECT_EQ(with_counts(kGoal, {.samples = 500}).samples, 500U);
}

TEST(TypedCounts, RefuseAWayThatTheGoalHasNot) {
  EXPECT_EQ(error_with({.epochs = {{"dear=80"}}}),
            "--epochs: expected one of the goal's ways, SGD, horovod, D-KFAC; found \"dear\"");
}

TEST(TypedCounts, RefuseTwoCountsOfOneWay) {
  const std::string expected =
      "--steps: expected one count of each way, found a second one of \"d-kfac\"";
  EXPECT_EQ(error_of({.iterations = {{"d-kfac=10", "d-kfac=20"}}}), expected);
  EXPECT_EQ(error_of({.epochs = {{"d-kfac=10"}}, .iterations = {{"d-kfac=20"}}, .samples = 9}),
            expected);
  EXPECT_EQ(error_with({.iterations = {{"D-KFAC=10", "d-kfac=20"}}}), expected);
}

TEST(TypedCounts, RefuseWhatIsNoNumberAboveZero) {
  for (const char* item : {"d-kfac=-5", "d-kfac=0", "d-kfac=many", "d-kfac=nan", "d-kfac=inf",
                           "d-kfac=5x", "d-kfac=", "d-kfac", "=5"}) {
    const std::string expected = std::string(
                                     "--steps: expected a schedule and a number above "
                                     "0 such as spd-kfac=55, found \"") +
                                 item + '"';
    EXPECT_EQ(error_of({.iterations = {{item}}}), expected);
    EXPECT_EQ(error_with({.iterations = {{item}}}), expected);
  }
}

TEST(TypedCounts, EpochsNeedSamplesAndSamplesNeedEpochs) {
  EXPECT_EQ(error_of({.epochs = {{"dear=90"}}}),
            "--epochs: expected the samples of an epoch with --samples");
  EXPECT_EQ(error_of({.iterations = {{"dear=90"}}, .samples = 10}),
            "--samples: expected epochs to count, such as --epochs spd-kfac=55");
}

TEST(CompareGoal, RefusesAWorkloadOfAnotherModelThanTheGoals) {
  const Outcome outcome =
      run_cli({"compare", "--goal", "resnet50-imagenet", "--workload", "bert-base-rtx2080ti-bs64",
               "--cluster", "rtx2080ti-16x4-ib100"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err,
            "stepcast: --goal: resnet50-imagenet counts steps of resnet50; expected a workload "
            "of that model, found bert-base-rtx2080ti-bs64, which is of bert-base\n");
}

TEST(CompareGoal, LabelsTheCountsOfTheUserAsGiven) {
  const std::vector<std::string> arguments{"compare",
                                           "--steps",
                                           "dear=100",
                                           "--workload",
                                           "resnet50-rtx2080ti-bs64",
                                           "--cluster",
                                           "rtx2080ti-16x4-10gbe",
                                           "--fidelity",
                                           "analytic"};
  const Outcome table = run_cli(arguments);
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_NE(table.out.find("  given"), std::string::npos) << table.out;
  EXPECT_EQ(table.out.find("assumed"), std::string::npos) << table.out;
}

}  // namespace
}  // namespace stepcast
