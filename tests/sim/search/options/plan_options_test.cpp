#include "sim/search/options/plan_options.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "sim/engine/steps.hpp"
#include "sim/forecast/scenario.hpp"
#include "sim/jobs/edits/estimates.hpp"
#include "sim/search/options/estimated_options.hpp"
#include "tests/support/examples.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

Scenario scenario_with(const std::string& workload, const std::string& schedule) {
  return scenario_of({.workload = workload,
                      .cluster = "rtx2080ti-16x4-10gbe",
                      .schedules = {schedule},
                      .fidelity = "analytic"});
}

/// The scenario with the options that are found best for the schedule.
Scenario with_best_options(Scenario scenario, const std::string& schedule, EditedStep& result) {
  const ScheduledJob job = job_of(scenario, schedule);
  scenario.settings.schedule = best_options_of(job, planned(job), {}, result);
  return scenario;
}

Seconds step_with(const Scenario& scenario, const std::string& schedule) {
  return simulate(planned(scenario, schedule).plan, scenario.cluster, scenario.engine)
      .mean_iteration_time();
}

/// Tensors of 64 KiB to 11 MiB.
Workload few_tensors() {
  Workload workload{.name = "few"};
  for (std::size_t i = 0; i < 8; ++i)
    workload.layers.push_back({.name = "layer" + std::to_string(i),
                               .kind = "Linear",
                               .forward = Seconds{0.004},
                               .backward = Seconds{0.008},
                               .parameters = {{"weight", 16'000 + 700'000 * (i * 7 % 5)}}});
  return workload;
}

// Partitions of BytePS are 4 MB and servers take them as they arrive. Smaller ones travel while
// others are added up, and those that the next forward pass needs first go first (P3).
TEST(PlanOptionsTest, ServersGainBySlicesAndPriorities) {
  for (const char* workload : {"resnet50-rtx2080ti-bs64", "densenet201-rtx2080ti-bs32"}) {
    EditedStep result;
    const Scenario best = with_best_options(scenario_with(workload, "ps"), "ps", result);
    EXPECT_GT(result.step_before / result.step_after, 1.05) << workload;
    EXPECT_NEAR(step_with(best, "ps").value, result.step_after.value, 1e-12) << workload;
    Seconds gains{};
    for (const AcceptedEdit& edit : result.accepted)
      gains += edit.gain;
    EXPECT_NEAR(gains.value, (result.step_before - result.step_after).value, 1e-9) << workload;
  }
}

TEST(PlanOptionsTest, AllReducesGainByBuckets) {
  EditedStep result;
  with_best_options(scenario_with("bert-base-rtx2080ti-bs64", "ddp"), "ddp", result);
  EXPECT_LT(result.step_after, result.step_before);
}

// All 11 x 11 sizes in either order.
TEST(PlanOptionsTest, ServersAreWithinTwoPercentOfTheBestOfAll) {
  Scenario scenario = scenario_with("resnet50-rtx2080ti-bs64", "ps");
  scenario.workload = few_tensors();
  Seconds best{1e9};
  for (double partition = 64; partition <= 65536; partition *= 2)
    for (double fuse = 64; fuse <= 65536; fuse *= 2)
      for (const char* order : {"arrival", "priority"}) {
        Scenario other = scenario;
        other.settings.schedule = {{"partition", fmt::format("{}KiB", partition)},
                                   {"fuse", fmt::format("{}KiB", fuse)},
                                   {"order", order}};
        best = std::min(best, step_with(other, "ps"));
      }
  EditedStep result;
  with_best_options(scenario, "ps", result);
  EXPECT_LE(result.step_after.value, 1.02 * best.value);
}

TEST(PlanOptionsTest, WhatTheUserGaveStays) {
  Scenario scenario = scenario_with("resnet50-rtx2080ti-bs64", "ps");
  scenario.workload = few_tensors();
  scenario.settings.schedule = {{"partition", "3MiB"}, {"order", "arrival"}};
  EditedStep result;
  const Scenario best = with_best_options(scenario, "ps", result);
  EXPECT_EQ(best.settings.schedule.at("partition"), "3MiB");
  EXPECT_EQ(best.settings.schedule.at("order"), "arrival");
}

// Each value of each option was simulated.
TEST(PlanOptionsTest, ServersAreEstimatedBeforeTheyAreSimulated) {
  Scenario scenario = scenario_with("resnet50-rtx2080ti-bs64", "ps");
  scenario.workload = few_tensors();
  scenario.cluster.nodes = 4;
  scenario.engine.fidelity = Fidelity::Flow;
  const ScheduledJob job = job_of(scenario, "ps");
  const PlannedRun run = planned(job);
  ASSERT_TRUE(pays_to_estimate(run.plan, job.engine));
  EditedStep counts;
  const OptionWay best = option_ways_by_estimate(option_space_of(job, run), run.plan.graph.size(),
                                                 job.options, {}, counts)[0];
  EXPECT_LE(counts.simulated, 30U);  // 15 for each order of the servers
  EXPECT_GT(counts.replayed, counts.simulated);
  EXPECT_LT(best.step.value, 0.98 * best.before.value);
  EXPECT_NEAR(step_with(scenario, "ps").value, best.before.value, 1e-12);
  Scenario told = scenario;
  told.settings.schedule = best.options;
  EXPECT_NEAR(step_with(told, "ps").value, best.step.value, 1e-12);
}

// These take no longer to simulate than to estimate.
TEST(PlanOptionsTest, StepsWithOneStreamEachWayAreNotEstimated) {
  for (const char* schedule : {"ddp", "dear"}) {
    Scenario scenario = scenario_with("resnet50-rtx2080ti-bs64", schedule);
    scenario.engine.fidelity = Fidelity::Flow;
    EXPECT_FALSE(pays_to_estimate(planned(scenario, schedule).plan, scenario.engine)) << schedule;
  }
}

// On V100s at 100 Gb/s halving and doubling would be .12 ms shorter.
TEST(PlanOptionsTest, TheLibraryKeepsItsAlgorithm) {
  EditedStep result;
  Scenario scenario = scenario_with("resnet50-v100-bs32", "horovod");
  scenario.cluster = load_cluster("v100-32x4-edr");
  const Scenario best = with_best_options(scenario, "horovod", result);
  EXPECT_FALSE(best.settings.schedule.contains("algorithm"));
}

TEST(PlanOptionsTest, CompressedGradientsKeepTheirs) {
  EditedStep result;
  const char* schedule = "topk-allgather";
  with_best_options(scenario_with("resnet50-rtx2080ti-bs64", schedule), schedule, result);
  EXPECT_TRUE(result.accepted.empty());
}

/// A layer whose passes take as long as `a` and `b` say together, in milliseconds.
OptionSpace two_options(const Cluster& cluster, std::map<std::string, double> milliseconds) {
  OptionSpace space;
  for (const char* name : {"a", "b"})
    space.options.push_back({.info = {.name = name, .default_value = "0"}, .values = {"0", "1"}});
  space.options.back().beside = {{"c", "8"}};
  space.plan = [&cluster, milliseconds](const ScheduleOptions& options) {
    const auto of = [&](const char* name) {
      return options.contains(name) ? options.at(name) : std::string("0");
    };
    const Seconds time{milliseconds.at(of("a") + of("b")) * 1e-3};
    return build_plan("ddp", examples::uniform_workload(1, time, {}, 0), cluster, {});
  };
  space.step = [&cluster](const Plan& plan) { return step_time_of(plan, cluster, {}); };
  return space;
}

struct SearchedOfTwo {
  EditedStep result;
  ScheduleOptions best;

  explicit SearchedOfTwo(std::map<std::string, double> milliseconds) {
    const Cluster cluster = examples::plain_cluster(1);
    const OptionSpace space = two_options(cluster, std::move(milliseconds));
    OptionSteps steps(space, 1);
    best = best_options(steps, {}, {}, result);
  }
};

// a=1 comes first, b=1 then does without it.
TEST(PlanOptionsTest, WhatIsTakenBackIsNotTold) {
  const SearchedOfTwo found({{"00", 10}, {"10", 9}, {"11", 5}, {"01", 4}});
  ASSERT_EQ(found.result.accepted.size(), 1U);
  EXPECT_EQ(found.result.accepted.front().text, "b=1 instead of 0 (c=8)");
  EXPECT_NEAR(found.result.accepted.front().gain.value, 6e-3, 1e-12);
  EXPECT_EQ(found.best, (ScheduleOptions{{"b", "1"}, {"c", "8"}}));
}

// With b=1 it gains less than a ten-thousandth of the step.
TEST(PlanOptionsTest, WhatNoLongerGainsIsTakenBack) {
  const SearchedOfTwo found({{"00", 10}, {"10", 9}, {"11", 5}, {"01", 5.0002}});
  ASSERT_EQ(found.result.accepted.size(), 1U);
  EXPECT_EQ(found.result.accepted.front().text, "b=1 instead of 0 (c=8)");
  EXPECT_NEAR(found.result.step_after.value, 5.0002e-3, 1e-12);
}

TEST(PlanOptionsTest, AGainHasToBeAsLargeAsWhatIsPrinted) {
  const SearchedOfTwo small({{"00", 10}, {"10", 9.9995}, {"11", 10}, {"01", 9.9995}});
  EXPECT_TRUE(small.result.accepted.empty());
  EXPECT_NEAR(small.result.step_after.value, 10e-3, 1e-12);
  const SearchedOfTwo both({{"00", 10}, {"10", 9}, {"11", 8}, {"01", 9.5}});
  ASSERT_EQ(both.result.accepted.size(), 2U);
  EXPECT_EQ(both.result.accepted.front().text, "a=1 instead of 0");
}

// Some 20,000 tasks, where a search began with one.
TEST(PlanOptionsTest, PlansOfManyMoreTasksAreNotSimulated) {
  const Cluster cluster = examples::plain_cluster(2);
  int simulated = 0;
  OptionSpace space{.options = {},
                    .plan =
                        [&](const ScheduleOptions&) {
                          return build_plan(
                              "ddp",
                              examples::uniform_workload(10'000, Seconds{1e-6}, Seconds{1e-6}, 1),
                              cluster, {});
                        },
                    .step =
                        [&](const Plan&) {
                          ++simulated;
                          return Seconds{1};
                        }};
  OptionSteps steps(space, 1);
  EXPECT_FALSE(steps.of({}, {}).has_value());
  EXPECT_EQ(simulated, 0);
  EXPECT_TRUE(steps.of({}, {}, true).has_value());
}

}  // namespace
}  // namespace stepcast
