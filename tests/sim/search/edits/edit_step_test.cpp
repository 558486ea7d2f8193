// Recorded and planned steps whose truth is known, edited.
#include <gtest/gtest.h>

#include "models/schedule/edited/plan_graph.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/forecast/scenario.hpp"
#include "sim/jobs/edits/job_steps.hpp"
#include "sim/jobs/edits/planned_step.hpp"
#include "sim/search/options/memory_fit.hpp"
#include "sim/search/step_search.hpp"
#include "tests/support/input_error.hpp"
#include "tests/support/made_job.hpp"
#include "tests/support/made_profiles.hpp"
#include "tests/support/profiled_job_of.hpp"
#include "tests/support/table_job.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

const EngineOptions kAnalyticEngine{.fidelity = Fidelity::Analytic};

Job profile_job(const MadeProfiles& made) {
  return profiled_job_of(made.texts());
}

EditedStep edited_with(const Job& job, const std::vector<std::string>& edits, bool search = false) {
  std::vector<EditRequest> asked;
  for (const std::string& edit : edits)
    asked.push_back(parse_edit_request(edit));
  EditedStep result;
  edit_step(editable_steps(job).step, asked, search, result);
  return result;
}

MadeJob slow_rank_three() {
  MadeJob made;
  made.pass = [](int rank, int /*step*/, int /*batch*/, bool forward) {
    return (forward ? 0.010 : 0.020) * (rank == 3 ? 1.5 : 1);
  };
  return made;
}

// Four micro-batches of 30 ms, 45 ms on rank 3; then 4 + 1 + 2 ms.
TEST(EditStepTest, ASlowRankBroughtToTheOthersSpeed) {
  const Job job = table_job(slow_rank_three().text());
  const EditedStep step = edited_with(job, {"scale rank=3 kind=forward*,backward* by=2/3"});
  EXPECT_NEAR(step.step_before.value, 0.187, 1e-6);
  EXPECT_NEAR(step.step_after.value, 0.127, 1e-6);
  EXPECT_NEAR(step.accepted.front().gain.value, 0.060, 1e-6);
  EXPECT_EQ(step.accepted.front().text, "scale by=2/3 kind=forward*,backward* rank=3");
}

TEST(EditStepTest, EditsAreAppliedOneAfterTheOther) {
  const EditedStep step = edited_with(table_job(slow_rank_three().text()),
                                      {"scale rank=3 work=compute by=2/3", "remove kind=optimizer",
                                       "set kind=grads-reduce-scatter time=10ms"});
  ASSERT_EQ(step.accepted.size(), 3U);
  EXPECT_NEAR(step.accepted[1].gain.value, 0.002, 1e-3);
  EXPECT_NEAR(step.accepted[2].gain.value, -0.006, 1e-6);
}

// Launches of 1 ms before each of the eight passes; the step begins with the first pass.
TEST(EditStepTest, WithoutLaunchesNoPassIsWaitedFor) {
  MadeJob made;
  made.launch = 0.001;
  const EditedStep step = edited_with(table_job(made.text()), {"cuda-graphs"});
  EXPECT_NEAR(step.step_before.value, 0.134, 1e-6);
  EXPECT_NEAR(step.step_after.value, 0.127, 1e-6);
}

TEST(EditStepTest, RecipesOnARecordedJob) {
  const Job job = profile_job({});
  const double before = edited_with(job, {"scale kind=forward by=1"}).step_before.value;
  const auto after = [&](const char* recipe) {
    return edited_with(job, {recipe}).step_after.value;
  };
  EXPECT_LT(after("mixed-precision"), 0.9 * before);
  EXPECT_LT(after("faster-link by=4"), before);
  EXPECT_GT(after("dead-link of=2"), before);
  EXPECT_GT(after("recomputation"), before);
  EXPECT_LT(after("gpu from=v100 to=h100"), before);
  EXPECT_EQ(input_error_of([&] { after("priority-slices"); }),
            "priority-slices: a recorded step ends before the next forward pass, which priorities "
            "serve, and nothing in it waits for a communication that could overtake another: "
            "expected a planned step, of `workload`");
}

// A job whose replay does not come near what was recorded answers no what-ifs: here passes overlap
// on one stream, which is impossible, so that the replay takes longer.
TEST(EditStepTest, WhatIfsOfAMissedRecordingAreRefused) {
  OperationRows rows;
  for (int step = 0; step < 3; ++step)
    for (int batch = 0; batch < 4; ++batch)
      rows.add(0, 0, 0, step, "forward-compute", 0.001 * batch, 0.010, batch, batch);
  const Job job = table_job(rows.text(), {}, "overlap.csv");
  EXPECT_EQ(input_error_of([&] { editable_steps(job); }).substr(0, 60),
            "overlap.csv: the replay of the recorded steps misses them by");
}

TEST(EditStepTest, APlanThatIsNotEditedTakesAsLong) {
  const Workload workload = load_workload("resnet50-rtx2080ti-bs64");
  const Cluster cluster = load_cluster("rtx2080ti-16x4-10gbe");
  for (const char* schedule : {"ddp", "ps", "horovod", "bytescheduler", "dear", "kaisa"}) {
    const Plan plan = build_plan(schedule, workload, cluster, {});
    const EditableStep step = editable_step(plan, workload, cluster, kAnalyticEngine);
    EXPECT_NEAR(step.time(step.graphs).step.value,
                simulate(plan, cluster, kAnalyticEngine).mean_iteration_time().value /
                    static_cast<double>(steps_of(plan)),
                1e-12)
        << schedule;
  }
}

EditedStep planned_search(const char* schedule, const Workload& workload, const Cluster& cluster,
                          const ScheduleOptions& options = {}) {
  const Plan plan = build_plan(schedule, workload, cluster, options);
  EditedStep result;
  edit_step(editable_step(plan, workload, cluster, kAnalyticEngine), {}, true, result);
  return result;
}

Workload few_layers(std::size_t layers) {
  Workload workload{.name = "few"};
  for (std::size_t i = 0; i < layers; ++i)
    workload.layers.push_back({.name = "layer" + std::to_string(i),
                               .kind = "Linear",
                               .forward = Seconds{0.002},
                               .backward = Seconds{0.004},
                               .parameters = {{"weight", 20'000 + 45'000 * (i * 7 % 5)}},
                               .activation = Bytes{1e6}});
  workload.batch = 8;
  return workload;
}

TEST(EditStepTest, GainsOfServersAndAllReducesAddUp) {
  Workload workload = few_layers(8);
  for (Layer& layer : workload.layers)
    layer.parameters.front().elements *= 20;
  const Cluster cluster = load_cluster("rtx2080ti-16x4-10gbe");
  for (const char* schedule : {"wfbp", "ps"}) {
    const EditedStep found = planned_search(schedule, workload, cluster);
    EXPECT_LE(found.step_after, found.step_before) << schedule;
    EXPECT_EQ(found.step_after < found.step_before, !found.accepted.empty()) << schedule;
    Seconds gains{};
    for (const AcceptedEdit& edit : found.accepted)
      gains += edit.gain;
    EXPECT_NEAR(gains.value, (found.step_before - found.step_after).value, 1e-9) << schedule;
  }
}

// It used to leave what is announced ahead of its data to tasks that others had become.
TEST(EditStepTest, ATaskOfNoTimeChangesNoSchedule) {
  const Workload workload = load_workload("resnet50-rtx2080ti-bs32");
  Cluster cluster = load_cluster("rtx2080ti-16x4-10gbe");
  cluster.nodes = 2;
  for (const ScheduleInfo& schedule : data_parallel_schedules()) {
    if (schedule.bound)
      continue;
    for (const char* run_ahead : {"off", "on"}) {
      ScheduleOptions options;
      if (std::ranges::count(schedule.options, "run_ahead", &OptionInfo::name) > 0)
        options["run_ahead"] = run_ahead;
      const Plan plan = build_plan(schedule.name, workload, cluster, options);
      const EditableStep step = editable_step(plan, workload, cluster, kAnalyticEngine);
      const auto inserted = edited(
          step.graphs,
          parse_edit_request("insert new=nothing time=0s as=other where=before kind=forward"),
          step);
      EXPECT_NEAR(step.time(inserted).step.value, step.time(step.graphs).step.value, 1e-9)
          << schedule.name << " run_ahead=" << run_ahead;
      const auto removed = edited(step.graphs, parse_edit_request("remove kind=forward"), step);
      EXPECT_GT(step.time(removed).step, Seconds{}) << schedule.name << " run_ahead=" << run_ahead;
    }
  }
}

// A server reads the copies of 16 workers: a slice costs it as much as a partition of its size.
TEST(EditStepTest, SlicesOfPushesKeepAServersTimeAByte) {
  Workload workload = few_layers(2);
  workload.layers[0].parameters.front().elements = 1'000'000;
  const Cluster cluster = load_cluster("rtx2080ti-16x4-10gbe");
  const Plan plan = build_plan("ps", workload, cluster, {});
  const EditableStep step = editable_step(plan, workload, cluster, kAnalyticEngine);
  const auto sliced =
      edited(step.graphs, parse_edit_request("split work=communication size=1MB"), step);
  std::size_t pushes = 0;
  for (const PlannedCollective& planned : edited_plan(plan, sliced.front()).plan.collectives) {
    if (planned.collective.kind != CollectiveKind::Reduce)
      continue;
    ++pushes;
    const Seconds sum = planned.collective.size * 16.0 / cluster.software.ps_sum_bandwidth;
    EXPECT_NEAR(planned.overhead.value, (cluster.software.ps_per_partition + sum).value, 1e-9);
  }
  EXPECT_EQ(pushes, 5U);
}

// Every way to fuse neighbouring all-reduces of six tensors.
TEST(EditStepTest, FusionsAreWithinTwoPercentOfTheBestOfAll) {
  const Workload workload = few_layers(6);
  const Cluster cluster = load_cluster("rtx2080ti-16x4-10gbe");
  const Plan plan = build_plan("wfbp", workload, cluster, {});
  const EditableStep step = editable_step(plan, workload, cluster, kAnalyticEngine);
  Seconds best{1e9};
  for (std::uint32_t cuts = 0; cuts < 32; ++cuts) {
    std::vector<WorkGraph> graphs = step.graphs;
    for (std::uint32_t layer = 5; layer > 0; --layer)
      if ((cuts >> (layer - 1)) % 2 == 1) {
        // In ready order: the last layer's gradients come first, and a row has its last one's
        // layer.
        const auto fuse =
            fmt::format("merge work=communication layer=layer{},layer{}", layer - 1, layer);
        graphs = edited(graphs, parse_edit_request(fuse), step);
      }
    best = std::min(best, step.time(graphs).step);
  }
  const EditedStep found = planned_search("wfbp", workload, cluster);
  EXPECT_LE(found.step_after.value, 1.02 * best.value);
}

TEST(EditStepTest, AStepIsMadeToFitIntoMemory) {
  const Scenario scenario = scenario_of({.workload = "resnet50-rtx2080ti-bs64",
                                         .cluster = "rtx2080ti-16x4-10gbe",
                                         .schedules = {"wfbp"},
                                         .fidelity = "analytic"});
  const ScheduledJob job = job_of(scenario, "wfbp");
  const FoundJob as_it_is = fitted_job(job, {});
  EXPECT_TRUE(as_it_is.notes.empty());
  const FoundJob smaller = fitted_job(job, 0.8 * as_it_is.before);
  EXPECT_EQ(smaller.notes.size(), 1U);
  EXPECT_EQ(smaller.before, as_it_is.before);
  EXPECT_LE(smaller.memory, 0.8 * as_it_is.before);
  EXPECT_EQ(input_error_of([&] { fitted_job(job, Bytes{1048576}); }).substr(0, 31),
            "`memory`: 1 MiB is not enough: ");
}

}  // namespace
}  // namespace stepcast
