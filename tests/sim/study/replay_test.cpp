#include "sim/study/replay.hpp"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "tests/support/recorded_data.hpp"
#include "tests/traces/readers/kineto/small_trace.hpp"
#include "traces/ideal_cluster.hpp"
#include "traces/readers/import.hpp"

namespace stepcast {
namespace {

constexpr double kExact = 1e-9;

std::vector<RecordedStep> record_small(const std::string& text) {
  ImportReport report;
  return KinetoReader().record({text_stream(text, "t.json")}, report);
}

Seconds step_time(const std::vector<RecordedStep>& steps, const WhatIf& change,
                  const Cluster& cluster = ideal_cluster(1, 1)) {
  const ReplayedTimes times = replay(steps, cluster, change);
  Seconds sum{};
  for (const Seconds step : times.steps)
    sum += step;
  return sum / static_cast<double>(times.steps.size());
}

TEST(Replay, ReproducesTheRecordedStep) {
  EXPECT_NEAR(step_time(record_small(small_trace()), {}).value, 1000e-6, kExact);
}

TEST(Replay, ASlowerDeviceMakesTheHostWait) {
  // At half the speed: conv2d 30-230, linear -330, its backward -450, the copy -470, conv2d's
  // backward -670, the all-reduce (as recorded) -740, the copy -760, the optimizer -1000; the host
  // waits for it and then takes the 350 us that it took after its wait (650 to 1000).
  const WhatIf change{.device_speed = 0.5};
  EXPECT_NEAR(step_time(record_small(small_trace()), change).value, 1350e-6, kExact);
}

TEST(Replay, ASlowerNetworkDelaysWhatWaitsForIt) {
  // 600 bytes over 2 ranks take 600 bytes / bandwidth: 1000 us. It starts at 410, the copy ends at
  // 1420, the optimizer at 1540; 350 us of the host follow.
  Cluster cluster = ideal_cluster(2, 1);
  cluster.nic.bandwidth = BytesPerSecond{600 / 1000e-6};
  const WhatIf change{.predict_collectives = true};
  EXPECT_NEAR(step_time(record_small(small_trace()), change, cluster).value, 1890e-6, kExact);
}

TEST(Replay, WithoutTheCollectiveNothingWaitsForIt) {
  // At half the device speed the all-reduce is on the path: 70 us less.
  const WhatIf change{.device_speed = 0.5, .without = {CollectiveKind::AllReduce}};
  EXPECT_NEAR(step_time(record_small(small_trace()), change).value, 1280e-6, kExact);
}

TEST(Replay, AnInfinitelyFastHostLeavesTheDeviceTime) {
  // 450 us of kernels and 70 us of all-reduce one after the other, and no overlap between them.
  const WhatIf change{.host_speed = 1e9};
  EXPECT_NEAR(step_time(record_small(small_trace()), change).value, 520e-6, kExact);
}

std::string without_calls(std::string text, std::initializer_list<int> correlations) {
  for (const int call : correlations)
    for (const char* step : {"", "10"})  // Of the second step: 101 to 110.
      text =
          without_lines(text, "\"correlation\": " + std::string(step) + std::to_string(call) + "}");
  return text;
}

/// Over 2 ranks, the 600 bytes take 1000 us.
Seconds on_a_slow_network(const std::vector<RecordedStep>& steps) {
  Cluster cluster = ideal_cluster(2, 1);
  cluster.nic.bandwidth = BytesPerSecond{600 / 1000e-6};
  return step_time(steps, {.predict_collectives = true}, cluster);
}

TEST(Replay, AWaitHoldsUpWhatAnotherThreadLaunchesNext) {
  // As with gradient_as_bucket_view there is no copy: the backward thread waits for the all-reduce
  // (410-1410), and the training thread launches the optimizer: 1410-1530, then 350 us of the host.
  const auto steps = record_small(without_calls(small_trace(), {8}));
  EXPECT_NEAR(step_time(steps, {}).value, 1000e-6, kExact);
  EXPECT_NEAR(on_a_slow_network(steps).value, 1880e-6, kExact);
}

TEST(Replay, SynchronisingTheDeviceWaitsForEveryStream) {
  // Only the end of the step waits for the all-reduce, until 1410; 350 us of the host follow.
  ImportReport report;
  const std::string text = without_calls(small_trace(), {7, 8});
  const auto steps = KinetoReader().record({text_stream(text, "t.json")}, report);
  EXPECT_NEAR(step_time(steps, {}).value, 1000e-6, kExact);
  EXPECT_NEAR(on_a_slow_network(steps).value, 1760e-6, kExact);
  EXPECT_TRUE(report.clean());
}

TEST(Replay, ACollectiveThatNothingWaitsForIsDoubted) {
  ImportReport report;
  const std::string text = replaced(without_calls(small_trace(), {7, 8}), "cudaDeviceSynchronize",
                                    "cudaStreamSynchronize");
  KinetoReader().record({text_stream(text, "t.json")}, report);
  EXPECT_EQ(report.doubtful().at("collective that nothing in its step waits for").count, 2U);
}

TEST(Replay, ArgumentsTellASendFromAnAllToAll) {
  const auto kind_of = [](const std::string& name) {
    const std::string text =
        replaced(replaced(small_trace(), "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)",
                          "ncclDevKernel_SendRecv(x)"),
                 "\"Collective name\": \"allreduce\"", "\"Collective name\": \"" + name + "\"");
    const auto steps = record_small(text);
    return std::ranges::find(steps[0].tasks, RecordedKind::Collective, &RecordedTask::kind)
        ->collective;
  };
  EXPECT_EQ(kind_of("send"), CollectiveKind::Send);
  EXPECT_EQ(kind_of("recv"), CollectiveKind::Send);
  EXPECT_EQ(kind_of("all_to_allv"), CollectiveKind::AllToAll);
  EXPECT_EQ(kind_of("unknown"), CollectiveKind::AllToAll);  // By the kernel.
}

TEST(Replay, AStepIsNoShorterThanWhatAStreamHasToDoInIt) {
  // Nothing waits for the all-reduce of 1000 us beside a step of 1000 us, of which 950 are busy; at
  // half the bandwidth it takes 2000 us, and the host would be ever further ahead of it.
  const auto steps = record_small(replaced(without_calls(small_trace(), {7, 8}),
                                           "cudaDeviceSynchronize", "cudaStreamSynchronize"));
  Cluster cluster = ideal_cluster(2, 1);
  cluster.nic.bandwidth = BytesPerSecond{600 / 2000e-6};
  const ReplayedTimes times = replay(steps, cluster, {.predict_collectives = true});
  EXPECT_NEAR(times.steps.front().value, 1000e-6, kExact);
  EXPECT_NEAR(times.busiest.value, 2000e-6, kExact);
  EXPECT_NEAR(times.sustained.value, 2000e-6, kExact);
  EXPECT_NEAR(times.host.value, 950e-6, kExact);
}

/// The trace of the other rank: the first's with one thing replaced.
std::string second_rank(const std::string& from = "", const std::string& to = "") {
  const std::string rank = replaced(small_trace(), "\"rank\": 0", "\"rank\": 1");
  return from.empty() ? rank : replaced(rank, from, to);
}

std::vector<RecordedStep> record_ranks(const std::string& second, ImportReport& report) {
  const std::string first = small_trace();
  return KinetoReader().record({text_stream(first, "a"), text_stream(second, "b")}, report);
}

std::string error_of_second(const std::string& second) {
  ImportReport report;
  return input_error_of([&] { record_ranks(second, report); });
}

TEST(Replay, OfSeveralRanksTheOneThatCameLastTellsHowLongACollectiveTakes) {
  // At half the device speed the all-reduce is on the path: 30 us instead of 70.
  ImportReport report;
  const auto steps = record_ranks(second_rank("\"dur\": 70,", "\"dur\": 30,"), report);
  const WhatIf change{.device_speed = 0.5};
  EXPECT_NEAR(step_time(steps, change).value, 1310e-6, kExact);
  EXPECT_TRUE(report.clean());
}

TEST(Replay, AnotherClockOfTheSecondRankChangesNothing) {
  ImportReport report;
  const std::string second = replaced(second_rank(), "\"ts\": 5", "\"ts\": 1005");
  EXPECT_NEAR(step_time(record_ranks(second, report), {}).value, 1000e-6, kExact);
  EXPECT_TRUE(report.clean());
}

TEST(Replay, RanksThatEndCollectivesMoreThanAMinuteApartAreDoubted) {
  ImportReport report;
  const std::string second = replaced(replaced(second_rank(), "\"ts\": 5", "\"ts\": 100000005"),
                                      "\"ts\": 6", "\"ts\": 100000006");
  record_ranks(second, report);
  ASSERT_EQ(report.doubtful().size(), 1U);
  EXPECT_EQ(report.doubtful().begin()->second.first, "b");
}

TEST(Replay, RanksOfDifferentJobsAreRefused) {
  EXPECT_EQ(
      error_of_second(second_rank("nelems\": 150", "nelems\": 160")),
      "b: expected the collectives in ProfilerStep#0 of a, found others: no ranks of one job");
  EXPECT_EQ(error_of_second(second_rank("\"world_size\": 2", "\"world_size\": 4")),
            "b: expected a job of 2 ranks as in a, found a job of 4 ranks");
  EXPECT_EQ(error_of_second(small_trace()),
            "b: expected another rank than in a, found rank 0 in both");
}

TEST(Replay, TheSameTraceOfAnUnknownRankTwiceIsRefused) {
  const std::string silent = without_lines(small_trace(), "distributedInfo");
  ImportReport report;
  EXPECT_EQ(input_error_of([&] {
              KinetoReader().record({text_stream(silent, "a"), text_stream(silent, "b")}, report);
            }),
            "b: expected the trace of another rank than a, found the same recording");
  const std::string later = replaced(silent, "\"ts\": 5", "\"ts\": 1005");
  KinetoReader().record({text_stream(silent, "a"), text_stream(later, "b")}, report);
  EXPECT_EQ(report.doubtful().at("trace that does not tell its rank, taken as another one").count,
            2U);
}

void expect_within_three_percent(const std::filesystem::path& path) {
  STEPCAST_SKIP_WITHOUT(path);
  ImportReport report;
  const auto steps = record_trace(std::span(&path, 1), false, report);
  Seconds recorded{};
  for (const RecordedStep& step : steps)
    recorded += step.recorded / static_cast<double>(steps.size());
  EXPECT_NEAR(step_time(steps, {}) / recorded, 1, 0.03);
}

TEST(Replay, TheA100TraceWithinThreePercent) {
  expect_within_three_percent(recorded_data("kineto/hta_resnet50_ddp_2xa100_rank0.json.gz"));
}

TEST(Replay, ATraceBoundByTheDeviceWithinThreePercent) {
  expect_within_three_percent(recorded_data("kineto/param_resnet18_rtx2080ti.json.gz"));
}

}  // namespace
}  // namespace stepcast
