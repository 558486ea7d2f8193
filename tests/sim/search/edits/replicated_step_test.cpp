// Planned steps on more GPUs than they were planned for.
#include "sim/jobs/edits/replicated_step.hpp"

#include <gtest/gtest.h>

#include "sim/jobs/edits/graph_replay.hpp"
#include "sim/search/options/schedule_edits.hpp"
#include "tests/support/edit_graph.hpp"
#include "tests/support/edited_pipeline.hpp"
#include "tests/support/owned_job.hpp"

namespace stepcast {
namespace {

Scenario scenario_on(std::uint32_t nodes, const char* schedule) {
  Scenario scenario = scenario_of({.workload = "resnet50-rtx2080ti-bs32",
                                   .cluster = "rtx2080ti-16x4-10gbe",
                                   .schedules = {schedule},
                                   .fidelity = "analytic"});
  scenario.cluster.nodes = nodes;
  return scenario;
}

EditedStep edited_on(std::uint32_t nodes, const char* schedule,
                     const std::vector<std::string>& edits) {
  const Scenario scenario = scenario_on(nodes, schedule);
  std::vector<EditRequest> asked;
  for (const std::string& edit : edits)
    asked.push_back(parse_edit_request(edit));
  EditedStep result;
  edit_schedule(job_of(scenario, schedule), asked, false, {}, result);
  return result;
}

// As planned for them: four times the nodes. Servers are as many as nodes, so that partitions
// differ.
TEST(ReplicatedStepTest, IsThePlanOfALargerCluster) {
  for (const char* schedule : {"ddp", "ps", "zero", "horovod"}) {
    const EditedStep replicated = edited_on(2, schedule, {"replicate ranks=32"});
    const EditedStep planned = edited_on(8, schedule, {});
    EXPECT_EQ(replicated.step_after, planned.step_after) << schedule;
    EXPECT_EQ(replicated.memory_after, planned.memory_after) << schedule;
    EXPECT_EQ(replicated.step_before, edited_on(2, schedule, {}).step_before) << schedule;
  }
}

TEST(ReplicatedStepTest, EditsBeforeAndBehindAreOfTheLargerStepToo) {
  const std::string slower = "scale kind=backward by=1.5";
  const std::string fused = "merge kind=all-reduce up_to=50MiB";
  const EditedStep replicated = edited_on(2, "wfbp", {slower, "replicate ranks=16", fused});
  EXPECT_EQ(replicated.step_after, edited_on(4, "wfbp", {slower, fused}).step_after);
  ASSERT_EQ(replicated.accepted.size(), 3U);
  EXPECT_EQ(replicated.accepted[1].step, edited_on(4, "wfbp", {slower}).step_after);
  ASSERT_EQ(replicated.notes.size(), 1U);
  EXPECT_EQ(replicated.notes.front(),
            "\"replicate ranks=16\" plans the step anew for 16 GPUs, each of which does as much as "
            "before");
}

// Longer steps of more GPUs, which do more, were told as losses, and shorter ones as gains.
TEST(ReplicatedStepTest, AnotherSizeIsToldAndGainsNothing) {
  const EditedStep replicated = edited_on(2, "ddp", {"replicate ranks=16"});
  EXPECT_EQ(replicated.gpus_after, 16U);
  EXPECT_EQ(replicated.accepted.front().gpus, 16U);
  EXPECT_EQ(replicated.accepted.front().gain, Seconds{});
  EXPECT_EQ(edited_on(2, "ddp", {}).gpus_after, 1U);
  EditableStep step;
  step.graphs = {made_graph()};
  step.time = replay_graphs;
  EditedStep recorded{.gpus = 4};  // Two ranks of two GPUs.
  edit_step(step, {parse_edit_request("replicate ranks=6")}, false, recorded);
  EXPECT_EQ(recorded.gpus_after, 12U);
  EXPECT_EQ(recorded.accepted.front().gpus, 12U);
}

TEST(ReplicatedStepTest, OfWholeClustersOnly) {
  EXPECT_EQ(input_error_of([] { edited_on(2, "ddp", {"replicate ranks=12"}); }),
            "replicate ranks=12: expected a multiple of the 8 GPUs that are planned, such as 16, "
            "found 12");
  EXPECT_EQ(input_error_of([] { edited_on(2, "ddp", {"replicate ranks=8"}); }),
            "replicate ranks=8: expected a multiple of the 8 GPUs that are planned, such as 16, "
            "found 8");
}

// Two copies of four stages become four, each with its micro-batches.
TEST(ReplicatedStepTest, OfAPipelineItMakesMoreCopies) {
  const EditedPipeline small;
  const OwnedJob scenario{.workload = small.model,
                          .cluster = small.cluster,
                          .schedule = "1f1b",
                          .options = small.options,
                          .engine = small.engine};
  EditedStep replicated;
  edit_schedule(scenario, {parse_edit_request("replicate ranks=16")}, false, {}, replicated);
  EditedPipeline large;
  large.cluster = examples::plain_cluster(4, 4);
  large.options["global_batch"] = "32";
  EXPECT_EQ(replicated.step_after.value, large.step_after({}));
  EXPECT_EQ(replicated.step_before.value, small.step_after({}));
}

}  // namespace
}  // namespace stepcast
