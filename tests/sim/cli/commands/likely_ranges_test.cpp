#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/sim/cli/run_cli.hpp"

namespace stepcast {
namespace {

using nlohmann::json;

const std::vector<std::string> kSmall{"--workload", "resnet50-rtx2080ti-bs64",
                                      "--cluster",  "rtx2080ti-16x4-10gbe",
                                      "--nodes",    "2",
                                      "--fidelity", "analytic"};

std::vector<std::string> joined(std::vector<std::string> left,
                                const std::vector<std::string>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

json printed_by(const std::vector<std::string>& arguments) {
  const Outcome outcome = run_cli(joined(arguments, {"--json"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return json::parse(outcome.out);
}

json run_of(const std::string& schedule) {
  return printed_by(joined({"run", "--schedule", schedule}, kSmall));
}

/// `run` and any other command take a range from the same checked cases: the same share of a step.
void expect_range_of(const json& run, const json& other,
                     const std::string& step = "iteration_time") {
  for (const char* end : {"_low_s", "_high_s"})
    EXPECT_NEAR(other.at(step + end).get<double>() / other.at(step + "_s").get<double>(),
                run.at(std::string("iteration_time") + end).get<double>() /
                    run.at("iteration_time_s").get<double>(),
                1e-12)
        << step << end;
  EXPECT_EQ(other.at("error_basis"), run.at("error_basis"));
}

TEST(LikelyRanges, EveryFeasibleTrialHasOne) {
  const std::vector<std::string> arguments =
      joined({"tune", "--schedule", "dear", "--option", "fusion_buffer", "--trials", "2"}, kSmall);
  const json tuning = printed_by(arguments);
  expect_range_of(run_of("dear"), tuning["best"]);
  for (const json& trial : tuning["trials"])
    expect_range_of(run_of("dear"), trial);
  EXPECT_NE(run_cli(arguments).out.find("\nlikely range: "), std::string::npos);
}

TEST(LikelyRanges, AValueThatIsRefusedHasNone) {
  const json tuning = printed_by(joined({"tune", "--schedule", "ps", "--option", "servers", "--low",
                                         "1", "--high", "9", "--strategy", "grid", "--trials", "2"},
                                        kSmall));
  EXPECT_TRUE(tuning["trials"][0].contains("error_basis")) << tuning;
  EXPECT_TRUE(tuning["trials"][1].contains("infeasible")) << tuning;
  EXPECT_FALSE(tuning["trials"][1].contains("error_basis"));
}

TEST(LikelyRanges, EveryWayToATargetHasOneForItsStep) {
  const std::vector<std::string> arguments =
      joined({"compare", "--steps", "horovod=100,local-sgd=90"}, kSmall);
  const json ways = printed_by(arguments)["results"];
  ASSERT_EQ(ways.size(), 2U);
  for (const json& way : ways)
    expect_range_of(run_of(way["schedule"]), way);
  EXPECT_NE(run_cli(arguments).out.find("\nlikely range of its step: "), std::string::npos);
}

TEST(LikelyRanges, PartsOfAStepAddUpToOneThatHasOne) {
  for (const char* protocol : {"exposed", "ablation"}) {
    const std::vector<std::string> arguments =
        joined({"run", "--schedule", "spd-kfac", "--parts", protocol}, kSmall);
    expect_range_of(run_of("spd-kfac"), printed_by(arguments));
    EXPECT_NE(run_cli(arguments).out.find("\nlikely range of the step: "), std::string::npos);
  }
}

TEST(LikelyRanges, EverySizeOfACurveHasOneWithItsBasis) {
  const json sizes = printed_by({"compare", "--workload", "resnet50-rtx2080ti-bs64", "--cluster",
                                 "rtx2080ti-16x4-10gbe", "--nodes", "1,2", "--schedules", "dear",
                                 "--across", "nodes", "--fidelity", "analytic"})["results"];
  ASSERT_EQ(sizes.size(), 2U);
  expect_range_of(run_of("dear"), sizes[1]);
  EXPECT_NE(sizes[0]["error_basis"], sizes[1]["error_basis"]);  // In one node, and on two.
}

TEST(LikelyRanges, EveryCellOfAMapHasOneForEachSchedule) {
  const json rows =
      printed_by({"compare", "--workload", "resnet50-rtx2080ti-bs64", "--cluster",
                  "rtx2080ti-16x4-10gbe", "--schedules", "ddp,topka2a", "--nodes", "2", "--set",
                  "density=0.01", "--map", "density", "--fidelity", "analytic"})["results"];
  ASSERT_EQ(rows.size(), 2U);
  for (const json& row : rows)
    expect_range_of(run_of(row["schedule"]["name"]), row);
}

TEST(LikelyRanges, EveryChoiceOfAPlanHasOne) {
  const json plan = printed_by({"plan", "--workload", "resnet50-rtx2080ti-bs64", "--clusters",
                                "rtx2080ti-16x4-10gbe", "--gpus", "8", "--schedules", "ddp",
                                "--fidelity", "analytic"});
  const json run = run_of("ddp");
  for (const char* list : {"results", "pareto"}) {
    ASSERT_FALSE(plan[list].empty()) << list;
    for (const json& choice : plan[list])
      expect_range_of(run, choice);
  }
  ASSERT_FALSE(plan["changes"].empty());
  for (const json& change : plan["changes"])
    EXPECT_TRUE(change.contains("error_basis")) << change;
}

TEST(LikelyRanges, AnOptimisedStepHasThemBeforeAndAfter) {
  const json buckets = printed_by(joined({"optimise"}, kSmall));
  const json planned =
      printed_by(joined({"optimise", "--schedule", "wfbp", "--no-search"}, kSmall));
  for (const char* step : {"step_before", "step_after"}) {
    expect_range_of(run_of("ddp"), buckets, step);
    expect_range_of(run_of("wfbp"), planned, step);
  }
  EXPECT_FALSE(planned.contains("step_before_error_basis"));
}

// The checked steps are of 64 GPUs at most.
TEST(LikelyRanges, AReplicatedStepHasThoseOfItsTwoSizes) {
  const json replicated = printed_by(joined(
      {"optimise", "--schedule", "ddp", "--no-search", "--edit", "replicate ranks=128"}, kSmall));
  EXPECT_EQ(replicated["step_before_error_basis"], run_of("ddp")["error_basis"]);
  EXPECT_NE(replicated["error_basis"].get<std::string>().find("wider as 128 GPUs are more"),
            std::string::npos);
}

// Neither recorded steps nor pipelines that were recorded are like any that was checked.
TEST(LikelyRanges, WhatWasRecordedHasNone) {
  const std::string data = std::string(STEPCAST_SOURCE_DIR) + "/tests/golden/data/pipeline";
  const std::vector<std::string> job{data + ".csv", "--job", data + "-job.json"};
  const json steps = printed_by(joined({"optimise", "--no-search"}, job));
  EXPECT_TRUE(steps.contains("step_after_s")) << steps;
  EXPECT_FALSE(steps.contains("error_basis")) << steps;
  const TemporaryFolder folder;
  const std::string workload = folder.file("mine.json");
  ASSERT_EQ(run_cli(joined({"diagnose", "--workload", workload}, job)).exit_code, 0);
  const json plan = printed_by({"plan", "--workload", workload, "--cluster", "dgx-a100", "--gpus",
                                "8", "--fidelity", "analytic"});
  EXPECT_TRUE(plan["results"][0].contains("iteration_time_s")) << plan;
  EXPECT_FALSE(plan["results"][0].contains("error_basis")) << plan;
}

}  // namespace
}  // namespace stepcast
