// Recipes on profiles whose truth is known.
#include "sim/jobs/edits/recipes.hpp"

#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "sim/jobs/edits/job_steps.hpp"
#include "sim/jobs/edits/planned_step.hpp"
#include "sim/search/step_search.hpp"
#include "tests/support/input_error.hpp"
#include "tests/support/made_job.hpp"
#include "tests/support/made_pipeline_profiles.hpp"
#include "tests/support/made_profiles.hpp"
#include "tests/support/profiled_job_of.hpp"
#include "tests/support/recorded_data.hpp"
#include "tests/support/table_job.hpp"
#include "traces/catalog.hpp"
#include "traces/formats/import.hpp"
#include "traces/job/read_job.hpp"

namespace stepcast {
namespace {

EditedStep with_recipe(const Job& job, const std::string& recipe) {
  EditedStep result;
  edit_step(editable_steps(job).step, {parse_edit_request(recipe)}, false, result);
  return result;
}

/// Of the device: 18 ms of passes, then the update. The last of three reductions begins with the
/// end of the backward pass.
MadeProfiles long_reductions() {
  MadeProfiles made;
  made.transfer = [](int) { return 3000.0; };
  return made;
}

TEST(RecipesTest, WhatComputesBehindTheBackwardPassIsTheUpdate) {
  const Job job = profiled_job_of(long_reductions().texts());
  const auto update = std::ranges::find(job.kinds, "optimizer: aten::add__kernel", &JobKind::name);
  ASSERT_NE(update, job.kinds.end());
  EXPECT_EQ(update->part, "optimizer");
  EXPECT_EQ(update->work, JobWork::Compute);
}

// Reductions begin at 10, 14 and 18 ms: the last ends at 21. In two passes, at 14, 16 and 18 of the
// second: it ends at 23. Then .5 ms of the update, which is not repeated.
TEST(RecipesTest, AccumulationLeavesLessToHideReductionsBehind) {
  const EditedStep step =
      with_recipe(profiled_job_of(long_reductions().texts()), "accumulation passes=2");
  EXPECT_NEAR(step.step_before.value, 0.0215, 0.0001);
  EXPECT_NEAR(step.step_after.value, 0.0235, 0.0001);
}

// A host that takes 500 us for each launch, of reductions too: the forward kernels of 100 us begin
// at .5, 1, .. 3 ms, the backward ones of 200 us at 3.5, 4, 5, 5.5, 6.5 and 7, the reductions of
// 100 us, less than the launches that are saved, at 4.5, 6 and 7.5, the update at 8 ms. Fused, the
// passes run from .5 to 1.1 and, .4 later, to 2.7; .3 ms behind each other the reductions; the
// update .4 later.
TEST(RecipesTest, FusedKernelsSaveTheirLaunches) {
  MadeProfiles made;
  made.kernel = [](int, int, int, bool forward) { return forward ? 100.0 : 200.0; };
  made.transfer = [](int) { return 100.0; };
  made.launch = 500;
  const EditedStep step = with_recipe(profiled_job_of(made.texts()), "kernel-fusion");
  EXPECT_NEAR(step.step_before.value, 0.0085, 0.0001);
  EXPECT_NEAR(step.step_after.value, 0.0048, 0.0001);
}

// Rows of a table are passes of micro-batches: as one they would hold up all that waits for the
// first.
TEST(RecipesTest, PassesOfATableAreNoKernels) {
  const Job job = table_job(MadeJob().text());
  const std::string error = input_error_of([&] { with_recipe(job, "kernel-fusion"); });
  EXPECT_NE(error.find("selects nothing; kinds are forward-compute"), std::string::npos) << error;
}

// Reductions of 3 ms and no launches to save: nothing is fused past them.
TEST(RecipesTest, FusionsDoNotHoldUpReductions) {
  const EditedStep step = with_recipe(profiled_job_of(long_reductions().texts()), "kernel-fusion");
  EXPECT_NEAR(step.step_after.value, step.step_before.value, 0.0001);
}

// A third of what normalisations, activations and pooling take; products keep their times.
TEST(RecipesTest, OfPlannedStepsIsToldWhatFusedKernelsSave) {
  const Workload workload = load_workload("densenet201-rtx2080ti-bs32");
  Cluster cluster = load_cluster("rtx2080ti-16x4-10gbe");
  cluster.overlap = {};
  const Plan plan = build_plan("bsp", workload, cluster, {});
  const EngineOptions engine{.fidelity = Fidelity::Analytic};
  const auto fused = [&](const char* recipe) {
    EditedStep result;
    edit_step(editable_step(plan, workload, cluster, engine), {parse_edit_request(recipe)}, false,
              result);
    return result;
  };
  Seconds others{};
  for (const Layer& layer : workload.layers)
    if (layer.kind.find("Conv") == std::string::npos && layer.kind != "Linear")
      others += layer.forward + layer.backward;
  const EditedStep step = fused("kernel-fusion saves=0.3");
  EXPECT_GT(others, Seconds{});
  EXPECT_NEAR((step.step_before - step.step_after).value, 0.3 * others.value, 1e-8);
  EXPECT_EQ(input_error_of([&] { fused("kernel-fusion"); }),
            "kernel-fusion: a planned step has no kernels: expected saves=SHARE, what fusing saves "
            "of the passes that are no products, such as saves=0.3, or a recorded job");
  EXPECT_EQ(input_error_of([&] { fused("kernel-fusion saves=1.5"); }),
            "kernel-fusion saves=1.5: saves: expected a number from 0 to 1, such as saves=0.3, "
            "found \"1.5\"");
  const Job job = profiled_job_of(long_reductions().texts());
  EXPECT_EQ(input_error_of([&] { with_recipe(job, "kernel-fusion saves=0.3"); }),
            "kernel-fusion saves=0.3: saves: a recorded job's kernels say themselves what fusing "
            "them saves");
}

TEST(RecipesTest, StagesOfAPipelineAccumulateToo) {
  const MadePipelineProfiles made{};
  const Job job = profiled_job_of(made.texts(), {.data = 2, .pipeline = 2});
  const EditedStep step = with_recipe(job, "accumulation passes=2");
  EXPECT_GT(step.step_after, step.step_before);
}

TEST(RecipesTest, RecordedProfilesTakeBoth) {
  const std::filesystem::path folder = recorded_data("kineto");
  STEPCAST_SKIP_WITHOUT(folder);
  for (const char* name :
       {"hta_resnet50_ddp_2xa100_rank0.json.gz", "kineto_resnet50_v100_workers0.json.gz",
        "tracelens_resnet18_ddp_mi300_rank0.json.gz"}) {
    const std::filesystem::path path = folder / name;
    ImportReport report;
    const Job job = read_job(std::span(&path, 1), "", report);
    const EditedStep fused = with_recipe(job, "kernel-fusion");
    EXPECT_LE(fused.step_after, 1.0001 * fused.step_before) << name;
    const EditedStep passes = with_recipe(job, "accumulation passes=2");
    EXPECT_GE(passes.step_after, passes.step_before) << name;
  }
}

}  // namespace
}  // namespace stepcast
