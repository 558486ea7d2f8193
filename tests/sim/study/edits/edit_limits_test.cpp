// What edits and reports know of a plan.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/schedule/registry.hpp"
#include "sim/study/edits/planned_step.hpp"
#include "tests/support/edited_pipeline.hpp"

namespace stepcast {
namespace {

/// Of the plans that do not cut the model.
struct EditedPlanOf {
  Workload workload;
  Cluster cluster;
  Plan plan;
  EngineOptions engine{.fidelity = Fidelity::Analytic};

  explicit EditedPlanOf(const char* schedule)
      : EditedPlanOf(schedule, EditedPipeline().model.workload, examples::plain_cluster(2, 4), {}) {
  }
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
  const EditableStep step = editable_step(run, pipeline.model, pipeline.cluster, pipeline.engine);
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
