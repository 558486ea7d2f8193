// Plans of pipelines, edited stage by stage.
#include <algorithm>

#include <gtest/gtest.h>

#include "models/schedule/edited/plan_graph.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/forecast/tuning/plan_hash.hpp"
#include "sim/jobs/edits/planned_step.hpp"
#include "tests/support/edited_pipeline.hpp"
#include "tests/support/owned_job.hpp"

namespace stepcast {
namespace {

WorkGraph stages_of(const HybridRun& run, const Workload& model, const Cluster& cluster) {
  return editable_step(run.hybrid.plan, run.job, model, cluster, {}).graphs.front();
}

// Word for word, so that it also takes as long at any fidelity.
TEST(PipelineEditTest, APlanThatNobodyEditsComesBackAsItWas) {
  for (const char* schedule : kPipelineOrders)
    for (const char* zero : {"0", "1", "3"}) {
      EditedPipeline pipeline;
      pipeline.schedule = schedule;
      pipeline.options["zero"] = zero;
      if (schedule == std::string("dualpipe") && zero == std::string("3"))
        continue;
      const HybridRun run = pipeline.run();
      const Plan& plan = run.hybrid.plan;
      const EditedPlan edited = edited_plan(plan, stages_of(run, pipeline.model, pipeline.cluster));
      EXPECT_EQ(hash_of(edited.plan), hash_of(plan)) << schedule << " zero=" << zero;
    }
}

TEST(PipelineEditTest, AnUneditedPlanTakesAsLongAtEachFidelity) {
  for (const char* schedule : kPipelineOrders)
    for (const Fidelity fidelity : {Fidelity::Analytic, Fidelity::Flow, Fidelity::Step}) {
      EditedPipeline pipeline;
      pipeline.schedule = schedule;
      pipeline.engine.fidelity = fidelity;
      const HybridRun run = pipeline.run();
      const EditableStep step = editable_step(run.hybrid.plan, run.job, pipeline.model,
                                              pipeline.cluster, pipeline.engine);
      EXPECT_NEAR(
          step.time(step.graphs).step.value,
          simulate(run.hybrid.plan, pipeline.cluster, pipeline.engine).mean_iteration_time().value,
          1e-12)
          << schedule << ' ' << name_of(fidelity);
    }
}

// Tensor, context and expert groups: their stages are edited as one.
TEST(PipelineEditTest, AllWaysOfCuttingComeBackAsTheyWere) {
  for (const ScheduleOptions& options :
       {ScheduleOptions{{"tp", "4"}, {"pp", "2"}, {"global_batch", "16"}},
        ScheduleOptions{{"tp", "2"}, {"pp", "4"}, {"cp", "2"}, {"zero", "1"}, {"shard", "2"}},
        ScheduleOptions{{"tp", "8"}},
        ScheduleOptions{{"pp", "4"}, {"stage_links", "1Gbps,100Mbps/40ms,1Gbps"}},
        ScheduleOptions{{"pp", "4"}, {"messages", "blocking"}}}) {
    OwnedJob scenario = transformer_scenario("1f1b", options, 2);
    const HybridRun run =
        build_hybrid(scenario.info(), scenario.workload, scenario.cluster, scenario.options);
    const EditedPlan edited =
        edited_plan(run.hybrid.plan, stages_of(run, scenario.workload, scenario.cluster));
    EXPECT_EQ(hash_of(edited.plan), hash_of(run.hybrid.plan)) << run.hybrid.layout;
  }
}

// Of all orders but one, in which two stages hold each layer.
TEST(PipelineEditTest, ASlowerStageIsAsSlowAsItsLayers) {
  for (const char* schedule : kPipelineOrders) {
    EditedPipeline pipeline;
    pipeline.schedule = schedule;
    const HybridJob job = pipeline.run().job;
    if (job.order.both_ways)
      continue;
    EditedPipeline slower = pipeline;
    for (std::uint32_t chunk = 0; chunk < job.order.chunks; ++chunk) {
      const std::uint32_t part = part_of(job.order, 2, chunk);
      for (std::size_t layer = job.first_unit[part]; layer < job.first_unit[part + 1]; ++layer) {
        slower.model.layers[layer].forward = Seconds{1.5e-3};
        slower.model.layers[layer].backward = Seconds{3e-3};
      }
    }
    EXPECT_NEAR(pipeline.step_after({"scale stage=2 kind=forward,backward by=1.5"}),
                slower.step_after({}), 1e-12)
        << schedule;
    EXPECT_GT(slower.step_after({}), pipeline.step_after({}) + 1e-3) << schedule;
  }
}

// (m + p - 1)(F + B) with stages of 2 and 4 ms and m = 8: no time for messages, gradients and norm.
TEST(PipelineEditTest, FreeMessagesLeaveTheFormulaOfTheOrder) {
  for (const char* schedule : {"gpipe", "1f1b"})
    for (const char* edit : {"scale work=communication by=0", "set work=communication time=0s"})
      for (const Fidelity fidelity : {Fidelity::Analytic, Fidelity::Flow, Fidelity::Step}) {
        EditedPipeline pipeline;
        pipeline.schedule = schedule;
        pipeline.engine.fidelity = fidelity;
        pipeline.cluster.nic.startup = Seconds{1e-4};
        pipeline.cluster.software.collective_launch = Seconds{1e-5};
        const EditedStep step = pipeline.edited_by({edit});
        EXPECT_NEAR(step.step_after.value, 11 * 6e-3, 1e-9) << schedule;
        EXPECT_GT(step.step_before.value, 11 * 6e-3 + 1e-3) << schedule;
      }
}

// Where computing slows ports down, a norm that takes no time leaves all other messages as slow.
TEST(PipelineEditTest, OneFreeCommunicationLeavesOthersAsTheyAre) {
  EditedPipeline pipeline;
  pipeline.engine.fidelity = Fidelity::Flow;
  pipeline.model.layers[1].activation = Bytes{1e8};
  const double at_ease = pipeline.step_after({});
  pipeline.cluster.overlap.communication_slowdown = 0.5;
  const EditedStep step = pipeline.edited_by({"scale name=norm by=0"});
  EXPECT_GT(step.step_before.value, at_ease + 1e-3);
  EXPECT_NEAR(step.step_after.value, step.step_before.value, 1e-6);
}

// A message that is removed is still waited for: the next stage has nothing to compute before.
TEST(PipelineEditTest, RemovedMessagesAreStillWaitedFor) {
  const EditedPipeline pipeline;
  EXPECT_EQ(pipeline.step_after({"remove kind=send"}),
            pipeline.step_after({"scale kind=send by=0"}));
  EXPECT_GE(pipeline.step_after({"remove work=communication"}), 11 * 6e-3 - 1e-12);
}

// Backward passes of 2 ms on stage 3: stage 2 does F0 by 6 ms, F1 by 8, B0 from 10, F2 by 16 and so
// on every 6 ms, F7 by 46. Stage 3 needs 2 + 2 ms more, the way back 3 x 4: 62 ms instead of 66.
TEST(PipelineEditTest, BackwardPassesOfOneStage) {
  EditedPipeline pipeline;
  const double before = pipeline.step_after({"scale work=communication by=0"});
  const double after =
      pipeline.step_after({"scale work=communication by=0", "scale stage=3 kind=backward by=0.5"});
  EXPECT_NEAR(before, 66e-3, 1e-9);
  EXPECT_NEAR(after, 62e-3, 1e-9);
}

// A millisecond before each of eight forward passes of stage 0 is a millisecond more of each.
TEST(PipelineEditTest, WorkInsertedOnOneStage) {
  EditedPipeline slower;
  slower.model.layers[0].forward += Seconds{1e-3};
  EXPECT_NEAR(
      EditedPipeline().step_after({"insert new=cast time=1ms stage=0 kind=forward where=before"}),
      slower.step_after({}), 1e-12);
}

// At the end of a message of which stage 1 is the other: only stage 0 computes it. What it takes
// behind the last one is seen.
TEST(PipelineEditTest, WorkInsertedBesideAMessageIsOfOneStage) {
  const EditedPipeline pipeline;
  const HybridRun run = pipeline.run();
  const EditableStep step =
      editable_step(run.hybrid.plan, run.job, pipeline.model, pipeline.cluster, pipeline.engine);
  const auto graphs = edited(
      step.graphs,
      parse_edit_request("insert new=unpack time=1ms stage=0 kind=send stream=their* on=unpacking"),
      step);
  const EditedPlan changed = edited_plan(run.hybrid.plan, graphs.front());
  std::size_t count = 0;
  for (TaskId id = 0; id < changed.plan.graph.size(); ++id) {
    const Task& task = changed.plan.graph.task(id);
    if (changed.plan.labels[task.label] != "unpack")
      continue;
    ++count;
    EXPECT_EQ(changed.plan.teams[task.team].ranks(), 2U);
    for (const Group& group : changed.plan.teams[task.team].groups)
      for (const Rank rank : group.ranks)
        EXPECT_EQ(run.job.layout.stage_of(rank), 0U);
  }
  EXPECT_EQ(count, 8U);
  EXPECT_GT(step.time(graphs).step.value, step.time(step.graphs).step.value + 0.9e-3);
}

// Of two stages, each message has both: it has one size.
TEST(PipelineEditTest, AMessageIsOneAtBothEnds) {
  EditedPipeline pipeline;
  pipeline.options["pp"] = "2";
  const double at_one = pipeline.step_after({"scale stage=0 kind=send of=size by=20"});
  EXPECT_EQ(at_one, pipeline.step_after({"scale stage=1 kind=send of=size by=20"}));
  EXPECT_GT(at_one, pipeline.step_after({}) + 1e-3);
}

TEST(PipelineEditTest, RanksOfAStageAreOne) {
  const EditedPipeline pipeline;
  EXPECT_EQ(pipeline.step_after({"scale rank=4-5 kind=backward by=0.5"}),
            pipeline.step_after({"scale stage=2 kind=backward by=0.5"}));
  EXPECT_EQ(pipeline.error_of("scale rank=4 kind=backward by=0.5"),
            "scale by=0.5 kind=backward rank=4: rank: the 2 ranks of stage 2 (4 to 5) do the same "
            "in this plan: expected all of them, or stage=2; a slow one is `set` "
            "straggler.RANK=FACTOR");
}

// Elsewhere all ranks are one, and an edit of some would be one of all.
TEST(PipelineEditTest, RanksOfOtherPlansAreOne) {
  const EditedPipeline pipeline;
  const Plan plan = build_plan("ddp", pipeline.model, pipeline.cluster, {});
  const EditableStep step = editable_step(plan, pipeline.model, pipeline.cluster, pipeline.engine);
  EXPECT_EQ(
      input_error_of([&] { edited(step.graphs, parse_edit_request("scale rank=0 by=2"), step); }),
      "scale by=2 rank=0: rank: all ranks do the same in this plan: expected none; a slow one "
      "is `set` straggler.RANK=FACTOR");
  EXPECT_EQ(
      input_error_of([&] { edited(step.graphs, parse_edit_request("scale stage=0 by=2"), step); }),
      "scale by=2 stage=0: stage: this step has no stages: expected a pipeline's");
}

TEST(PipelineEditTest, WhatIsNotThereIsNamed) {
  const EditedPipeline pipeline;
  EXPECT_EQ(pipeline.error_of("scale stage=4 by=2"),
            "scale by=2 stage=4: selects nothing; kinds are forward, backward, all-reduce, send, "
            "update; stages are 0 to 3");
  EXPECT_EQ(pipeline.error_of("scale rank=8-9 by=2").substr(0, 40),
            "scale by=2 rank=8-9: selects nothing; ki");
  EXPECT_EQ(pipeline.error_of("scale stage=last by=2").substr(0, 12), "scale: stage");
  EXPECT_EQ(pipeline.error_of("scale kind=send by=0.5"),
            "scale by=0.5 kind=send: what a planned communication takes follows from its size and "
            "the network: expected of=size or size=, by=0 or time=0s for none, or kinds that "
            "compute");
  EXPECT_NE(pipeline.error_of("merge kind=all-reduce time=1ms").find("follows from its size"),
            std::string::npos);
  EXPECT_EQ(pipeline.error_of("replicate ranks=16"),
            "replicate ranks=16: a planned step stands for all ranks: expected another cluster");
}

// Reversed on the sender's stream, where the receiver's stays as it is, nothing could run.
TEST(PipelineEditTest, MessagesChangePlacesOnBothEnds) {
  const EditedPipeline pipeline;
  const std::string error = pipeline.error_of("reorder kind=send by=name descending=yes");
  EXPECT_NE(error.find("reorder by=name descending=yes kind=send: something would wait for itself"),
            std::string::npos)
      << error;
}

}  // namespace
}  // namespace stepcast
