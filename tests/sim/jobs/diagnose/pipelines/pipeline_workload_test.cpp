// What a made pipeline becomes as a workload, and what that takes at other sizes.
#include "sim/jobs/diagnose/pipelines/pipeline_workload.hpp"

#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "sim/jobs/diagnose/diagnosis.hpp"
#include "sim/jobs/diagnose/job_at_ranks.hpp"
#include "sim/jobs/diagnose/job_workload.hpp"
#include "sim/jobs/diagnose/recorded_slow_downs.hpp"
#include "tests/support/input_error.hpp"
#include "tests/support/made_pipeline.hpp"
#include "tests/support/made_pipeline_profiles.hpp"
#include "tests/support/owned_job.hpp"
#include "tests/support/profiled_job_of.hpp"
#include "tests/support/recorded_data.hpp"
#include "tests/support/table_job.hpp"
#include "traces/catalog.hpp"
#include "traces/formats/stepcast/workload_file.hpp"
#include "traces/ideal_cluster.hpp"
#include "traces/job/read_job.hpp"

namespace stepcast {
namespace {

Job job_of(const MadePipeline& made, const JobShape& shape = {}) {
  return table_job(made.text(), shape);
}

/// Of a job on a network whose transfers take this long; its sizes are told.
MadePipeline with_transfers() {
  return {.message = 0.001,
          .gather = 0.006,
          .sum = 0.012,
          .tied = 0.002,
          .norm = 0.0005,
          .update = 0.003};
}

JobShape told() {
  return {.sizes = {
              .gradients = {4e8, 3e8, 3e8, 5e8}, .parameters = {2e8}, .message = 1e7, .tied = 8e7}};
}

/// For steps without a network.
JobShape tiny() {
  return {.sizes = {.gradients = {4}, .parameters = {4}, .message = 4, .tied = 4}};
}

Seconds step_of(const Workload& workload, const Cluster& cluster, ScheduleOptions options = {},
                const char* schedule = "1f1b", SlowDown slow = {}) {
  OwnedJob scenario{.workload = workload,
                    .cluster = cluster,
                    .schedule = schedule,
                    .options = std::move(options)};
  scenario.engine.fidelity = Fidelity::Analytic;
  scenario.engine.slow_down = std::move(slow);
  return simulated(scenario).forecast.iteration_time;
}

TEST(PipelineWorkloadTest, PassesAndToldSizesComeBack) {
  MadePipeline made = with_transfers();
  made.forward = [](int stage, int, int) { return stage == 3 ? 0.016 : 0.010; };
  const Workload workload = workload_of(job_of(made, told()), false);
  ASSERT_EQ(workload.layers.size(), 4U);
  EXPECT_NEAR(workload.layers[0].forward.value, 0.010, 1e-9);
  EXPECT_NEAR(workload.layers[3].forward.value, 0.016, 1e-9);
  EXPECT_NEAR(workload.layers[3].backward.value, 0.020, 1e-9);
  EXPECT_EQ(parameter_size(workload.layers[1]), Bytes{3e8});
  EXPECT_EQ(workload.layers[2].activation, Bytes{1e7});
  EXPECT_EQ(workload.layers[3].activation, Bytes{});
  const RecordedPipeline& pipeline = *workload.pipeline;
  EXPECT_EQ(pipeline.stages, 4U);
  EXPECT_EQ(pipeline.micro_batches, 4U);
  EXPECT_EQ(pipeline.copies, 2U);
  EXPECT_EQ(pipeline.schedule, "1f1b");
  EXPECT_TRUE(pipeline.shares_optimiser);
  EXPECT_NEAR(pipeline.norm->value, 0.0005, 1e-9);
  EXPECT_EQ(pipeline.tied, Bytes{8e7});
  EXPECT_EQ(pipeline.parts[2].gathered, Bytes{2e8});
  EXPECT_NEAR(pipeline.parts[2].update.value, 0.003, 1e-9);
  EXPECT_EQ(workload.provenance.notes.front(),
            "sizes (gradient_bytes, parameter_bytes, message_bytes, tied_bytes): as the job file "
            "says");
}

TEST(PipelineWorkloadTest, IdealPassesAreThoseOfTheirKind) {
  MadePipeline made = with_transfers();
  made.forward = [](int stage, int, int) { return stage == 3 ? 0.016 : 0.010; };
  const Workload workload = workload_of(job_of(made, told()), true);
  for (const Layer& layer : workload.layers)
    EXPECT_NEAR(layer.forward.value, 0.0115, 1e-9) << layer.name;
}

TEST(PipelineWorkloadTest, AsAFileItStaysTheSame) {
  const Workload workload = workload_of(job_of(with_transfers(), told()), false);
  const std::string text = to_json_text(workload);
  EXPECT_EQ(to_json_text(parse_workload(text, "w.json")), text);
}

// Without a network: 4 micro-batches through 4 stages, the sums of 7 passes each way, the norm and
// the update, which twice the copies share.
TEST(PipelineWorkloadTest, TwiceTheCopiesUpdateHalfEach) {
  const Workload workload = workload_of(job_of(with_transfers(), tiny()), false);
  EXPECT_NEAR(step_of(workload, ideal_cluster(1, 8)).value, 7 * 0.030 + 0.0005 + 0.003, 1e-6);
  EXPECT_NEAR(step_of(workload, ideal_cluster(2, 8)).value, 7 * 0.030 + 0.0005 + 0.0015, 1e-6);
}

TEST(PipelineWorkloadTest, FewerStagesHoldTheirNeighboursParts) {
  const Workload workload = workload_of(job_of(with_transfers(), tiny()), false);
  EXPECT_NEAR(step_of(workload, ideal_cluster(1, 4), {{"pp", "2"}}).value,
              5 * 0.060 + 0.0005 + 2 * 0.003, 1e-6);
  EXPECT_NEAR(step_of(workload, ideal_cluster(1, 8), {{"global_batch", "16"}}, "gpipe").value,
              11 * 0.030 + 0.0005 + 0.003, 1e-6);
}

// Sizes are what takes the recorded time on the network, so that it comes back there; but where the
// last messages leave beside sums, which these tables do not slow down.
TEST(PipelineWorkloadTest, OnTheNetworkThatItWasRecordedOnTheStepComesBack) {
  Cluster cluster = load_cluster("dgx-a100");
  cluster.nodes = 1;
  MadePipeline messages = with_transfers();
  messages.sum = 0;
  MadePipeline sums = with_transfers();
  sums.message = 1e-5;
  for (MadePipeline made : {messages, sums}) {
    made.backward = [](int stage, int, int) { return stage == 3 ? 0.024 : 0.020; };
    const JobAtRanks same =
        job_at_ranks(job_of(made, {.recorded_on = "dgx-a100"}), {.cluster = cluster});
    EXPECT_EQ(same.size.schedule, "1f1b");
    EXPECT_EQ(same.layout, "tp=1,pp=4,dp=2");
    EXPECT_NEAR(same.step.value, same.recorded_step.value, made.sum > 0 ? 3e-5 : 1e-7);
    EXPECT_NE(same.basis.front().find("those that take the recorded time on 8 GPUs of dgx-a100"),
              std::string::npos);
  }
}

// The last stage's passes end 60 ms before the first one's: what its host does then costs nothing,
// as recorded, and what the first one's does is time of the step.
TEST(PipelineWorkloadTest, DelaysBeforeSumsAreHiddenWhereOthersAreLater) {
  MadePipeline made{.sum = 0.002, .norm = 0.001};
  for (const int late : {3, 0}) {
    made.late = [late](int stage) { return stage == late ? 0.050 : 0.0; };
    const Job job = job_of(made, tiny());
    const Workload workload = workload_of(job, false);
    EXPECT_NEAR(workload.pipeline->parts[static_cast<std::size_t>(late)].before_sums.value, 0.050,
                1e-9);
    EXPECT_NEAR(step_of(workload, ideal_cluster(1, 8)).value,
                7 * 0.030 + (late == 0 ? 0.050 : 0) + 0.001, 1e-6);
  }
}

// One copy's last stage is late, and the host of the other lets its sum begin when both have ended:
// that is waiting, and no delay of the host.
TEST(PipelineWorkloadTest, WaitingForAnotherCopyBeforeSumsIsNoDelay) {
  MadePipeline made{.sum = 0.002, .norm = 0.001};
  made.backward = [](int, int copy, int) { return copy == 1 ? 0.024 : 0.020; };
  made.together = true;
  const Workload workload = workload_of(job_of(made, tiny()), false);
  for (const RecordedPart& part : workload.pipeline->parts)
    EXPECT_EQ(part.before_sums, Seconds{});
}

// The second copy's last stage takes half as long again in every step: what it holds up is in the
// slow-downs, and the mean of both in the workload.
TEST(PipelineWorkloadTest, ASlowRankOfAStageStaysOneAtAnotherSize) {
  MadePipeline made{.norm = 0.001};
  const auto slow = [](double time) {
    return [time](int stage, int copy, int) { return stage == 3 && copy == 1 ? 1.5 * time : time; };
  };
  made.forward = slow(0.010);
  made.backward = slow(0.020);
  const Job job = job_of(made, tiny());
  const SlowDown::Recorded recorded = slow_downs_of(job);
  EXPECT_EQ(recorded.stages, (std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2, 3, 3}));
  const Workload workload = workload_of(job, false);
  EXPECT_NEAR(workload.layers[3].forward.value, 0.0125, 1e-9);
  const double recorded_step = diagnose(job).recorded_step.value;
  for (const std::uint32_t nodes : {1U, 2U})
    EXPECT_NEAR(step_of(workload, ideal_cluster(nodes, 8), {}, "1f1b", {.laws = {recorded}}).value,
                recorded_step, 1e-6)
        << nodes;
  // On half of the stages the slow rank holds a healthy part, too: 25 and 50 ms behind 20 and 40.
  EXPECT_NEAR(
      step_of(workload, ideal_cluster(1, 8), {{"pp", "2"}}, "1f1b", {.laws = {recorded}}).value,
      0.361, 1e-6);
}

TEST(PipelineWorkloadTest, ProfilesHoldSizes) {
  const Job job = profiled_job_of(MadePipelineProfiles{}.texts(),
                                  {.data = 2, .pipeline = 2, .micro_batches = 4});
  const Workload workload = workload_of(job, false);
  ASSERT_EQ(workload.layers.size(), 2U);
  EXPECT_NEAR(workload.layers[0].forward.value, 0.001, 2e-5);
  EXPECT_NEAR(workload.layers[1].backward.value, 0.004, 2e-5);
  EXPECT_EQ(parameter_size(workload.layers[0]), Bytes{4e6});
  EXPECT_EQ(workload.layers[0].activation, Bytes{4e6});
  EXPECT_EQ(workload.pipeline->schedule, "gpipe");
  EXPECT_FALSE(workload.pipeline->norm.has_value());
}

TEST(PipelineWorkloadTest, WhatIsMissingIsNamed) {
  const auto error = [](const Job& job) {
    return input_error_of([&] { workload_of(job, false); });
  };
  EXPECT_EQ(error(job_of(with_transfers())),
            "made.csv: expected gradient_bytes of stage 0 in the job file, which these traces do "
            "not hold, or recorded_on, the cluster whose network takes the recorded 12 ms");
  JobShape shape = told();
  shape.sizes.gradients.pop_back();
  EXPECT_EQ(error(job_of(with_transfers(), shape)),
            "made.csv: expected gradient_bytes of each of 4 stages in the job file, found 3");
  EXPECT_NE(error(job_of(with_transfers(), {.recorded_on = "dgx-a1000"})).find("recorded_on: "),
            std::string::npos);
  MadePipeline alone = with_transfers();
  alone.copies = 1;
  EXPECT_EQ(error(job_of(alone, {.recorded_on = "dgx-a100"})),
            "made.csv: expected gradient_bytes of stage 0 in the job file: of one copy nothing is "
            "sent, so that the recorded 12 ms tell no size");
  MadePipeline single = with_transfers();
  single.stages = 1;
  EXPECT_NE(error(job_of(single, tiny())).find("found none; gradient_bytes and recorded_on"),
            std::string::npos)
      << error(job_of(single, tiny()));
  MadePipeline fast = with_transfers();
  fast.message = 1e-7;
  EXPECT_NE(error(job_of(fast, {.recorded_on = "dgx-a100"}))
                .find("recorded_on: message_bytes of stage 0: a send of one byte takes 5.05 us on "
                      "dgx-a100, found recorded 100 ns"),
            std::string::npos)
      << error(job_of(fast, {.recorded_on = "dgx-a100"}));
  EXPECT_EQ(
      error(profiled_job_of(MadePipelineProfiles{}.texts(), {.data = 2, .pipeline = 2})),
      "rank0.json: expected micro_batches, of a step of one copy, in the job file: these traces do "
      "not say");
}

TEST(PipelineWorkloadTest, OtherLayoutsThanFollowFromTheRecordingAreRefused) {
  const Workload workload = workload_of(job_of(with_transfers(), told()), false);
  const auto error = [&](const ScheduleOptions& options) {
    return input_error_of([&] { step_of(workload, ideal_cluster(2, 8), options); });
  };
  EXPECT_EQ(error({{"pp", "8"}}),
            "1f1b: option pp: expected at most 4 parts of the model, one for each layer, found 8");
  EXPECT_EQ(
      error({{"tp", "2"}}),
      "1f1b: option tp: expected 1, as the job was recorded: what it takes otherwise is not known, "
      "found 2");
  EXPECT_EQ(
      error({{"micro_batch", "2"}}),
      "1f1b: option micro_batch: expected 1: how long another one takes was not recorded, found 2");
  EXPECT_EQ(error({{"zero", "3"}}),
            "1f1b: option zero: expected 0 or 1: gathers of parameters within a step were not "
            "recorded");
  EXPECT_EQ(input_error_of([&] {
              job_at_ranks(job_of(with_transfers(), told()),
                           {.cluster = ideal_cluster(1, 8), .schedule = "ddp"});
            }),
            "`schedule` ddp: made.csv-recorded was recorded in 4 stages: expected a schedule that "
            "cuts the model, such as 1f1b");
  EXPECT_EQ(input_error_of([&] { build_plan("dear", workload, ideal_cluster(1, 8), {}); }),
            "dear: made.csv-recorded was recorded in 4 stages: expected a schedule that cuts the "
            "model, such as 1f1b");
}

// 128 ranks take a hundred seeds, four times as many ranks a quarter of these.
TEST(PipelineWorkloadTest, MoreCopiesTakeFewerSeeds) {
  MadePipeline made{.stages = 2, .micro_batches = 1, .steps = 2};
  made.forward = [](int stage, int copy, int step) {
    return 0.010 * (1 + 0.2 * scatter(stage, copy, step));
  };
  const auto at_nodes = [&](std::uint32_t nodes) {
    return job_at_ranks(job_of(made, tiny()), {.cluster = ideal_cluster(nodes, 8)});
  };
  EXPECT_EQ(at_nodes(16).spread.seeds, 100U);
  EXPECT_EQ(at_nodes(64).spread.seeds, 25U);
}

TEST(PipelineWorkloadTest, APublishedJobComesBackAtItsOwnSize) {
  const auto table = recorded_data("multirank/bytedance_stragglers/ST.csv.gz");
  STEPCAST_SKIP_WITHOUT(table);
  ImportReport report;
  const std::vector<std::filesystem::path> files{table};
  Job job = read_job(files, "", report);
  job.shape.recorded_on = "dgx-a100";
  Cluster cluster = load_cluster("dgx-a100");
  cluster.nodes = 1;
  for (const bool ideal : {false, true}) {
    const JobAtRanks same = job_at_ranks(job, {.cluster = cluster, .ideal = ideal});
    EXPECT_NEAR(same.step.value / (ideal ? 1.8433 : same.recorded_step.value), 1, 0.002) << ideal;
  }
}

}  // namespace
}  // namespace stepcast
