// Edits that leave nothing to run, change nothing, or add more than a step can hide.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/graph/edit/graph_editor.hpp"
#include "models/schedule/edited/plan_graph.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/jobs/edits/planned_step.hpp"
#include "tests/support/edited_pipeline.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

constexpr const char* kNothingLeft =
    "nothing would be left that computes: expected some of it to stay";

/// Of the plans that do not cut the model.
struct EditedPlanOf {
  Workload workload;
  Cluster cluster;
  Plan plan;
  EngineOptions engine{.fidelity = Fidelity::Analytic};

  explicit EditedPlanOf(const char* schedule)
      : EditedPlanOf(schedule, EditedPipeline().model, examples::plain_cluster(2, 4), {}) {}
  EditedPlanOf(const char* schedule, Workload of, const Cluster& on, const ScheduleOptions& options)
      : workload(std::move(of)),
        cluster(on),
        plan(build_plan(schedule, workload, cluster, options)) {}

  EditedStep edited_by(const std::string& edit) const {
    EditedStep result;
    edit_step(editable_step(plan, workload, cluster, engine), {parse_edit_request(edit)}, false,
              result);
    return result;
  }
  std::string error_of(const std::string& edit) const {
    return input_error_of([&] { edited_by(edit); });
  }
};

EditedPlanOf ten_steps() {
  Cluster cluster = load_cluster("rtx2080ti-16x4-10gbe");
  cluster.nodes = 1;
  return {"kaisa",
          load_workload("resnet50-rtx2080ti-bs32"),
          cluster,
          {{"inverse_interval", "10"}, {"factor_interval", "5"}}};
}

// It read past the end where steps differ, and was no input error elsewhere.
TEST(EditLimitsTest, SomethingHasToBeLeftThatComputes) {
  for (const std::string edit : {"remove", "remove work=compute"}) {
    EXPECT_EQ(EditedPlanOf("ddp").error_of(edit), edit + ": " + kNothingLeft);
    EXPECT_EQ(EditedPipeline().error_of(edit), edit + ": " + kNothingLeft);
  }
  EXPECT_EQ(ten_steps().error_of("remove"), std::string("remove: ") + kNothingLeft);
}

TEST(EditLimitsTest, TheLastStepOfAPeriodHasToDoSomething) {
  const EditedPlanOf of_period = ten_steps();
  const EditableStep step =
      editable_step(of_period.plan, of_period.workload, of_period.cluster, of_period.engine);
  GraphEditor editor(step.graphs.front());
  for (std::uint32_t id = 0; id < editor.size(); ++id)
    if (editor.node(id).origin >= of_period.plan.later_steps.back())
      editor.remove(id);
  const WorkGraph graph = std::move(editor).finish();
  EXPECT_EQ(input_error_of([&] { edited_plan(of_period.plan, graph); }),
            "the last of the period's steps would have nothing to do: expected some of it to stay");
}

// The report would tell an infinite factor.
TEST(EditLimitsTest, AStepTakesSomeTime) {
  const EditedPipeline pipeline;
  EXPECT_EQ(input_error_of([&] {
              pipeline.edited_by({"scale work=communication by=0", "scale work=compute by=0"});
            }),
            "scale by=0 work=compute: the step would take no time: expected something left that "
            "does");
}

// Copies do the same, so that it does not matter which of them is slow: what is late bounds the
// step, and what waits for it does not.
TEST(EditLimitsTest, WhatBoundsAStepIsWhatTheSlowRankDoes) {
  const auto bound_by = [](Rank slow) {
    EditedPipeline pipeline;
    pipeline.engine.stragglers[slow] = 3;
    return pipeline.edited_by({}).bound_by;
  };
  for (const Rank first : {0U, 4U}) {
    EXPECT_EQ(bound_by(first + 1), bound_by(first));
    EXPECT_EQ(bound_by(first + 1).find("waiting"), std::string::npos) << bound_by(first + 1);
  }
}

TEST(EditLimitsTest, WhatBoundsADataParallelStepIsWhatTheSlowRankDoes) {
  EditedPlanOf wfbp("wfbp");
  wfbp.engine.stragglers[5] = 3;
  const EditedStep step = wfbp.edited_by("scale kind=forward by=1");
  EXPECT_EQ(step.bound_by.find("waiting"), std::string::npos) << step.bound_by;
}

// Behind eight forward passes 160 ms beside a step of some 70, for which nobody waits. The host is
// two steps ahead at most.
TEST(EditLimitsTest, AStepIsNoShorterThanItsBusiestStream) {
  const std::pair<const char*, ScheduleOptions> schedules[] = {
      {"wfbp", {}}, {"ddp", {}}, {"dear", {}}, {"acp-sgd", {{"compression", "free"}}}};
  for (const auto& [schedule, options] : schedules) {
    const EditedPlanOf plan(schedule, EditedPipeline().model, examples::plain_cluster(2, 4),
                            options);
    const EditedStep busy = plan.edited_by("insert new=x time=20ms kind=forward on=other");
    EXPECT_LT(busy.step_before.value, 0.08) << schedule;
    EXPECT_NEAR(busy.step_after.value, 0.16, 1e-9) << schedule;
    EXPECT_EQ(busy.bound_by, "of the critical path: 100 % forward.") << schedule;
    const EditedStep idle = plan.edited_by("insert new=x time=1ms kind=forward on=other");
    EXPECT_NEAR(idle.step_after.value, idle.step_before.value, 1e-9) << schedule;
  }
}

// What follows the last stage's forward passes does so by order alone; the other stages' messages
// wait for them.
TEST(EditLimitsTest, AStageIsNoFasterThanItsBusiestStream) {
  const EditedPipeline pipeline;
  const double before = pipeline.step_after({});
  EXPECT_NEAR(pipeline.step_after({"insert new=x time=20ms kind=forward stage=3 on=other"}),
              8 * 20e-3, 1e-9);
  EXPECT_NEAR(pipeline.step_after({"insert new=x time=1ms kind=forward stage=3 on=other"}), before,
              1e-9);
  EXPECT_GT(pipeline.step_after({"insert new=x time=1ms kind=forward stage=1 on=other"}),
            before + 0.9e-3);
}

TEST(EditLimitsTest, WhatTakesNoTimeHasNothingToChange) {
  const EditedPipeline pipeline;
  const auto error_behind = [&](const char* first, const char* then) {
    return input_error_of([&] { pipeline.edited_by({first, then}); });
  };
  const std::string reason = ": selects only what takes no time since an edit before this one";
  EXPECT_EQ(error_behind("remove kind=send", "set kind=send size=100MB"),
            "set kind=send size=100MB" + reason);
  EXPECT_EQ(error_behind("scale kind=send by=0", "scale kind=send of=size by=2"),
            "scale by=2 kind=send of=size" + reason);
  EXPECT_EQ(error_behind("remove kind=send", "remove kind=send"), "remove kind=send" + reason);
  EXPECT_EQ(pipeline.error_of("merge kind=update"),
            "merge kind=update: changes nothing: no two that it selects follow each other on a "
            "stream and may be one");
}

// It ended with 1, and a line for programmers.
TEST(EditLimitsTest, NothingComputesOnAStreamThatGoesByPriority) {
  const EditedPlanOf plan("bytescheduler");
  const std::string error = plan.error_of("insert new=pack time=1ms work=communication");
  EXPECT_NE(error.find("takes communications by priority: expected what computes on another"),
            std::string::npos)
      << error;
  EXPECT_GT(plan.edited_by("insert new=pack time=1ms work=communication on=packing").step_after,
            Seconds{});
}

TEST(EditLimitsTest, MessagesWithoutBytesAreStillOfTheNetwork) {
  const EditedPipeline pipeline;
  EXPECT_LE(pipeline.step_after({"scale kind=send of=size by=0", "faster-link by=2"}),
            pipeline.step_after({"scale kind=send of=size by=0"}));
  EditedPipeline blocking;
  blocking.options["messages"] = "blocking";
  EXPECT_NE(blocking.error_of("faster-link by=2").find("take times of their own here"),
            std::string::npos);
}

// Eight sums of one size: a bucket that is a little smaller cuts them, whatever the norm weighs.
TEST(EditLimitsTest, TheNormIsNoGradient) {
  EditedPipeline pipeline;
  pipeline.options["pp"] = "1";
  const HybridRun run = pipeline.run();
  const EditableStep step =
      editable_step(run.hybrid.plan, run.job, pipeline.model, pipeline.cluster, pipeline.engine);
  Bytes size{};
  for (const WorkNode& node : step.graphs.front().nodes)
    size = std::max(size, node.size);
  const auto sums_after = [&](const std::string& edit) {
    const auto graphs = edited(step.graphs, parse_edit_request(edit), step);
    return std::ranges::count_if(graphs.front().nodes, &WorkNode::communicates);
  };
  EXPECT_EQ(sums_after(fmt::format("bucket-size size={:.0f}B", 0.95 * size.value)), 2 * 8 + 1);
  EXPECT_EQ(sums_after("merge kind=all-reduce"), 1 + 1);
}

}  // namespace
}  // namespace stepcast
