#include "sim/forecast/plan_export.hpp"

#include <gtest/gtest.h>

#include "models/schedule/builder.hpp"
#include "models/schedule/list/registry.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/input_error.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

struct Exported {
  Plan plan;
  Timeline timeline;
  ExportedPlan file;
};

Exported exported(const std::string& schedule, const std::string& workload_name) {
  const Workload workload = load_workload(workload_name);
  const Cluster cluster = load_cluster("rtx2080ti-16x4-ib100");
  Plan plan = build_plan(schedule, workload, cluster, {});
  Timeline timeline = simulate(plan, cluster, {.fidelity = Fidelity::Analytic});
  ExportedPlan file = export_plan(workload, cluster, plan, Fidelity::Analytic, timeline, {});
  return {std::move(plan), std::move(timeline), std::move(file)};
}

TEST(PlanExport, RecordsTheSettingsBehindTheForecast) {
  const Workload workload = load_workload("resnet50-rtx2080ti-bs32");
  Cluster cluster = load_cluster("rtx2080ti-16x4-ib100");
  cluster.overlap = {.compute_slowdown = 0, .launch_wait = 0.5};
  const Plan plan = build_plan("wfbp", workload, cluster, {});
  const Timeline timeline = simulate(plan, cluster, {.fidelity = Fidelity::Analytic});
  const Origin origin{.command = "run", .changes = {"--set cluster.overlap.launch_wait=0.5"}};
  const ExportedPlan file =
      export_plan(workload, cluster, plan, Fidelity::Analytic, timeline, origin);
  EXPECT_EQ(file.provenance.notes,
            (std::vector<std::string>{"--set cluster.overlap.launch_wait=0.5"}));
  EXPECT_TRUE(file.communication_slows_compute);
}

/// Bytes of all collectives of a plan's tasks.
double bytes_of(const Plan& plan) {
  double sum = 0;
  for (TaskId id = 0; id < plan.graph.size(); ++id)
    if (plan.graph.task(id).kind == TaskKind::Communication)
      sum += plan.collectives[plan.graph.task(id).collective].collective.size.value;
  return sum;
}

double compute_of(const Plan& plan) {
  double sum = 0;
  for (TaskId id = 0; id < plan.graph.size(); ++id)
    sum += plan.graph.task(id).duration.value;
  return sum;
}

class ExportedSchedule : public testing::TestWithParam<const char*> {};

TEST_P(ExportedSchedule, KeepsWorkAndIsReadBack) {
  const Exported made = exported(GetParam(), "resnet50-rtx2080ti-bs32");
  EXPECT_DOUBLE_EQ(made.file.iteration_time.value, made.timeline.iteration_time.value);
  EXPECT_NEAR(bytes_of(made.file.plan), bytes_of(made.plan), 1);
  EXPECT_NEAR(compute_of(made.file.plan), compute_of(made.plan), 1e-9);
  const std::string text = to_json_text(made.file);
  EXPECT_EQ(to_json_text(parse_exported_plan(text, "written")), text);
}

INSTANTIATE_TEST_SUITE_P(, ExportedSchedule,
                         testing::Values("bsp", "wfbp", "ddp", "dear", "spd-kfac", "horovod",
                                         "topka2a", "gtopk"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(PlanExport, FusesWhatTheForecastFused) {
  const Exported made = exported("horovod", "resnet50-rtx2080ti-bs32");
  EXPECT_LT(made.file.plan.collectives.size(), made.plan.collectives.size());
  for (const Stream& stream : made.file.plan.streams)
    EXPECT_TRUE(std::holds_alternative<InOrder>(stream.rule));
}

TEST(PlanExport, RefusesStreamsThatRunByPriority) {
  EXPECT_EQ(
      input_error_of([] { exported("bytescheduler", "resnet50-rtx2080ti-bs32"); }).substr(0, 24),
      "`export-plan`: stream \"a");
}

/// What is said of a plan of a computation and a sum, to which `add` adds.
template <class Add>
std::string refusal_of(Add add) {
  const Workload workload = examples::uniform_workload(1, {1e-3}, {0}, 1);
  const Cluster cluster = examples::plain_cluster(2);
  Builder builder("any", workload, cluster);
  builder.stream("all-reduce");
  const TaskId forward = builder.forward(0);
  add(builder, forward, builder.all_reduce("sum", Bytes{1}, {.after = {forward}}));
  const Plan plan = std::move(builder).build();
  const Timeline timeline = simulate(plan, cluster, {.fidelity = Fidelity::Analytic});
  return input_error_of(
      [&] { export_plan(workload, cluster, plan, Fidelity::Analytic, timeline, {}); });
}

// These edges used to be left out of the file, without a word.
TEST(PlanExport, RefusesDependenciesOverSeveralIterations) {
  EXPECT_EQ(refusal_of([](Builder& builder, TaskId forward, TaskId sum) {
              builder.later_after(forward, sum, 2);
            }),
            "`export-plan`: a task of any waits for one of 2 iterations before; the file holds "
            "dependencies over one iteration at most");
}

// It said "a task of ddp", which by itself waits for no such task.
TEST(PlanExport, RefusesHostsThatAreAhead) {
  const Workload workload = examples::uniform_workload(1, {1e-3}, {0}, 1);
  Cluster cluster = examples::plain_cluster(2);
  cluster.software.host_per_collective = Seconds{1e-6};
  const Plan plan = build_plan("ddp", workload, cluster, {});
  const Timeline timeline = simulate(plan, cluster, {.fidelity = Fidelity::Analytic});
  EXPECT_EQ(input_error_of(
                [&] { export_plan(workload, cluster, plan, Fidelity::Analytic, timeline, {}); }),
            "`export-plan`: with software.host_* of the cluster a step waits for its hosts of 2 "
            "iterations "
            "before; the file holds dependencies over one iteration at most: set them to 0s");
}

TEST(PlanExport, RefusesTasksThatWaitForSomeOfThoseBefore) {
  EXPECT_EQ(refusal_of([](Builder& builder, TaskId forward, TaskId sum) {
              builder.needs(builder.update("update", {forward, sum}), 1);
            }),
            "`export-plan`: a task of any waits for 1 of those before it, whichever come first; "
            "the file holds tasks that wait for all of them");
}

}  // namespace
}  // namespace stepcast
