// Recipes on plans of pipelines: what runs, and what says why it has no meaning there. And edits of
// all kinds at random.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "tests/support/edited_pipeline.hpp"
#include "tests/support/owned_job.hpp"

namespace stepcast {
namespace {

TEST(PipelineRecipesTest, RecipesThatHaveNoMeaningSayWhy) {
  const EditedPipeline pipeline;
  for (const auto& [recipe, reason] : std::map<std::string, std::string>{
           {"fused-optimiser", "the update of a stage is one kernel already"},
           {"priority-slices",
            "a stage's update waits for all of its gradients, whichever come first: expected no "
            "such order of a pipeline"},
           {"recomputation",
            "what a stage keeps and computes again is its schedule's: expected `set` "
            "recompute=selective or full"},
           {"accumulation passes=2",
            "a pipeline's passes are of micro-batches: expected `set` micro_batch= or "
            "global_batch="},
           {"cuda-graphs", "a planned step has no launches: expected a recorded job"}})
    EXPECT_EQ(pipeline.error_of(recipe), recipe + ": " + reason);
}

TEST(PipelineRecipesTest, RecipesOfProductsAreRefusedForATransformersStage) {
  OwnedJob scenario = transformer_scenario("1f1b", {{"pp", "4"}}, 1);
  const HybridRun run =
      build_hybrid(scenario.info(), scenario.workload, scenario.cluster, scenario.options);
  const EditableStep step =
      editable_step(run.hybrid.plan, run.job, scenario.workload, scenario.cluster, scenario.engine);
  EXPECT_EQ(
      input_error_of([&] { edited(step.graphs, parse_edit_request("mixed-precision"), step); }),
      "mixed-precision: a pass of a transformer's stage has products and all else in one: "
      "expected precision=bf16 in `workload`");
}

// Stage 1 has a product and a layer that is none: 1/3 and 1/2 of the time, on other stages 1/3.
TEST(PipelineRecipesTest, MixedPrecisionByWhatStagesHold) {
  EditedPipeline pipeline;
  pipeline.model.layers[3].kind = "Dropout";
  EditedPipeline faster = pipeline;
  for (Layer& layer : faster.model.layers) {
    const double factor = layer.kind == "Linear" ? 1.0 / 3 : 0.5;
    layer.forward = layer.forward * factor;
    layer.backward = layer.backward * factor;
  }
  EXPECT_NEAR(pipeline.step_after({"mixed-precision"}), faster.step_after({}), 1e-11);
}

TEST(PipelineRecipesTest, OtherRecipesRun) {
  const EditedPipeline pipeline;
  const double before = pipeline.step_after({});
  EXPECT_LT(pipeline.step_after({"faster-link by=4"}), before);
  EXPECT_GT(pipeline.step_after({"dead-link of=2"}), before);
  EXPECT_LT(pipeline.step_after({"gpu from=v100 to=h100"}), before);
  EXPECT_NE(pipeline.step_after({"bucket-size size=64MiB"}), before);
  EditedPipeline mixed = pipeline;
  mixed.model.layers[3].kind = "Dropout";
  EXPECT_LT(mixed.step_after({"kernel-fusion saves=0.3"}), before);
  EditedPipeline linked = pipeline;
  linked.options["stage_links"] = "1Gbps,1Gbps,1Gbps";
  EXPECT_EQ(linked.error_of("faster-link by=2"),
            "faster-link by=2: messages between stages take times of their own here: expected "
            "another stage_links, or messages=asynchronous");
}

// Gradients of a stage's two layers as one, in a bucket that holds both: the norm stays apart.
TEST(PipelineRecipesTest, BucketsAreOfOneStage) {
  const EditedPipeline pipeline;
  const HybridRun run = pipeline.run();
  const EditableStep step =
      editable_step(run.hybrid.plan, run.job, pipeline.model, pipeline.cluster, pipeline.engine);
  const auto graphs = edited(step.graphs, parse_edit_request("bucket-size size=64MiB"), step);
  const auto sums = [&](const WorkGraph& graph) {
    return std::ranges::count_if(
        graph.nodes, [&](const WorkNode& node) { return graph.kinds[node.kind] == "all-reduce"; });
  };
  EXPECT_EQ(sums(step.graphs.front()), 4 * 2 + 4);
  EXPECT_EQ(sums(graphs.front()), 4 + 4);
}

// Of stage 0's last backward pass the second layer's gradients are there 2 ms before the first's.
// Two all-reduces of 3 ms, all of it start-up, one behind the other, end 4 ms behind the pass, one
// of both 3 ms.
TEST(PipelineRecipesTest, GradientsOfAStageAreFusedWhereThatPays) {
  EditedPipeline pipeline;
  pipeline.model = examples::uniform_workload(8, Seconds{1e-3}, Seconds{2e-3}, 1000);
  pipeline.options["norm_barrier"] = "no";
  pipeline.cluster.intra_node.startup = Seconds{1.5e-3};
  const EditedStep step = pipeline.edited_by({}, true);
  ASSERT_EQ(step.accepted.size(), 1U);
  EXPECT_EQ(step.accepted.front().text,
            "fuse all-reduce 0 and 1 of gradients of stage 0 (layer1, layer0)");
  EXPECT_NEAR(step.accepted.front().gain.value, 1e-3, 1e-5);
}

std::vector<std::string> edits_of_all_kinds() {
  return {"scale stage=1 work=compute by=2",
          "scale kind=send of=size by=3",
          "scale stage=2-3 kind=send by=0",
          "set kind=update time=1ms",
          "set stage=1 kind=send size=4MB",
          "insert new=x time=1ms stage=0 kind=send",
          "insert new=y time=1ms on=other kind=all-reduce where=before",
          "remove stage=1 kind=send",
          "remove stage=2 kind=backward",
          "remove kind=all-reduce",
          "move on=compute stage=1 kind=send",
          "move on=elsewhere kind=all-reduce",
          "move stage=1 kind=update before=*",
          "merge kind=send",
          "merge stage=0 kind=forward",
          "merge work=communication",
          "split kind=send parts=3",
          "split stage=3 kind=backward parts=2",
          "split work=communication size=100KB",
          "reorder kind=all-reduce by=size",
          "reorder stage=0 kind=send by=layer descending=yes",
          "reorder stage=2 work=compute by=time",
          "repeat stage=1 kind=forward times=2",
          "repeat kind=send times=2",
          "faster-link by=2",
          "bucket-size size=1MB",
          "mixed-precision"};
}

// What nobody may do, at least it says so: edits at random, in threes.
TEST(PipelineRecipesTest, RandomEditsRunOrAreRefused) {
  const std::vector<std::string> edits = edits_of_all_kinds();
  std::mt19937 random(7);
  int ran = 0;
  for (int round = 0; round < 150; ++round) {
    EditedPipeline pipeline;
    pipeline.schedule = kPipelineOrders[random() % std::size(kPipelineOrders)];
    pipeline.options["zero"] = random() % 2 == 0 ? "0" : "1";
    pipeline.engine.fidelity = random() % 2 == 0 ? Fidelity::Analytic : Fidelity::Flow;
    std::vector<std::string> asked;
    for (int i = 0; i < 3; ++i)
      asked.push_back(edits[random() % edits.size()]);
    const std::string error = input_error_of([&] {
      const EditedStep step = pipeline.edited_by(asked);
      EXPECT_TRUE(std::isfinite(step.step_after.value));
      ++ran;
    });
    EXPECT_TRUE(error == "no error" ||
                std::ranges::any_of(asked,
                                    [&](const std::string& edit) {
                                      return error.starts_with(edit.substr(0, edit.find(' ')));
                                    }))
        << error;
  }
  EXPECT_GT(ran, 50);
}

}  // namespace
}  // namespace stepcast
