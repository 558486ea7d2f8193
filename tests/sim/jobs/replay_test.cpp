#include "sim/jobs/replay.hpp"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "tests/support/recorded_data.hpp"
#include "tests/traces/formats/kineto/made_trace.hpp"
#include "traces/formats/import.hpp"
#include "traces/ideal_cluster.hpp"

namespace stepcast {
namespace {

constexpr double kExact = 1e-9;

std::vector<RecordedStep> record_small(const std::string& text) {
  ImportReport report;
  return kineto_reader().record({text_stream(text, "t.json")}, report);
}

Seconds step_time(const std::vector<RecordedStep>& steps, const WhatIf& change,
                  const Cluster& cluster = ideal_cluster(1, 1)) {
  return replay(steps, cluster, change).mean;
}

TEST(Replay, ReproducesTheRecordedStep) {
  EXPECT_NEAR(step_time(record_small(small_trace()), {}).value, 1000e-6, kExact);
}

TEST(Replay, ASlowerDeviceMakesTheHostWait) {
  // At half the speed: conv2d, launched at 30 and 5 us on its way, 35-235, linear -335, its
  // backward -455, the copy -475, conv2d's backward -675, the all-reduce (as recorded) -745, the
  // copy -765, the optimizer -1005; the host waits for it and then takes the 350 us that it took
  // after its wait (650 to 1000).
  const WhatIf change{.device_speed = 0.5};
  EXPECT_NEAR(step_time(record_small(small_trace()), change).value, 1355e-6, kExact);
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
  EXPECT_NEAR(step_time(record_small(small_trace()), change).value, 1285e-6, kExact);
}

TEST(Replay, AnInfinitelyFastHostLeavesTheDeviceTime) {
  // The 5 us on conv2d's way to the device, 450 us of kernels and 70 us of all-reduce one after the
  // other, and no overlap between them.
  const WhatIf change{.host_speed = 1e9};
  EXPECT_NEAR(step_time(record_small(small_trace()), change).value, 525e-6, kExact);
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
  const auto steps = kineto_reader().record({text_stream(text, "t.json")}, report);
  EXPECT_NEAR(step_time(steps, {}).value, 1000e-6, kExact);
  EXPECT_NEAR(on_a_slow_network(steps).value, 1760e-6, kExact);
  EXPECT_TRUE(report.clean());
}

TEST(Replay, ACollectiveThatNothingWaitsForIsDoubted) {
  ImportReport report;
  const std::string text = all_replaced(without_calls(small_trace(), {7, 8}),
                                        "cudaDeviceSynchronize", "cudaStreamSynchronize");
  kineto_reader().record({text_stream(text, "t.json")}, report);
  EXPECT_EQ(report.doubtful().at("collective that nothing in its step waits for").count, 2U);
}

TEST(Replay, ArgumentsTellASendFromAnAllToAll) {
  const auto kind_of = [](const std::string& name) {
    const std::string text = all_replaced(
        all_replaced(small_trace(), "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)",
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

TEST(Replay, AHostThatRunsAheadOfItsDeviceDoesNotSetTheStep) {
  // The host needs 100 us a step, of which nothing waits for the device; computation, the
  // all-reduce that waits for it and the update that waits for the all-reduce take 300, 150 of them
  // computation. Before the update the host's call takes a microsecond to launch it.
  const auto steps = record_small(ahead_of_its_device().text());
  const ReplayedTimes times = replay(steps, ideal_cluster(1, 1), {});
  EXPECT_NEAR(times.mean.value, 300e-6, kExact);
  EXPECT_NEAR(times.start_deviation.value, 0, kExact);
  const Cycles cycles = find_cycles(steps, ideal_cluster(1, 1), {});
  EXPECT_NEAR(cycles.host.value, 100e-6, 2e-9);  // A device 1e9 times as fast takes some time.
  EXPECT_NEAR(cycles.device.value, 300e-6, kExact);
  EXPECT_NEAR(cycles.computation.value, 150e-6, kExact);
  EXPECT_NEAR(step_time(steps, {.without = all_collective_kinds()}).value, 150e-6, kExact);
}

TEST(Replay, ACallWaitsForWhatTheStepBeforeLaunched) {
  // Each step copies back what the step before computed in its 197 us, and only then launches: a
  // device that is twice as slow takes 197 us more. 23 us of the host follow each wait.
  MadeTrace trace;
  for (int i = 0; i < 3; ++i) {
    const double begin = 1000 + 220 * i;
    trace.step(i, begin, 220);
    trace.call("cudaStreamSynchronize", begin + 1, 204, 7000 + i);
    trace.host("aten::linear", begin + 206, 10);
    trace.launched("gemm", 7, begin + 207, begin + 208, 197);
  }
  trace.kernel("before", 7, 988, 197);
  const auto steps = record_small(trace.text());
  EXPECT_NEAR(step_time(steps, {}).value, 220e-6, kExact);
  EXPECT_NEAR(step_time(steps, {.device_speed = 0.5}).value, (220 + 197) * 1e-6, kExact);
}

TEST(Replay, AStepThatIsAloneIsCountedFromItsOwnEnd) {
  // A kernel of 1 ms, an all-reduce of 700 us behind it and a host that waits for both: repeated,
  // the step takes what it took, and its work starts when it did.
  MadeTrace trace;
  trace.step(1, 1000, 1740);
  trace.host("aten::mm", 1010, 20);
  trace.launched("gemm", 7, 1012, 1025, 1000);
  trace.host("c10d::allreduce_", 1040, 20);
  trace.launched("ncclDevKernel_AllReduce_Sum_f32", 20, 1045, 2027, 700);
  trace.call("cudaDeviceSynchronize", 1070, 1665, 7000);
  const ReplayedTimes times = replay(record_small(trace.text()), ideal_cluster(1, 1), {});
  EXPECT_NEAR(times.mean.value, 1740e-6, 1e-6);
  EXPECT_LT(times.start_deviation, Seconds{3e-6});
}

TEST(Replay, KernelsOfAGraphRunInTheOrderOfTheirStream) {
  // One launch of 2 us for three kernels of 50 us with 10 us between them, and a host that waits.
  MadeTrace trace;
  for (int i = 0; i < 3; ++i) {
    const double begin = 1000 + 200 * i;
    trace.step(i, begin, 200);
    trace.host("replay", begin + 1, 10);
    trace.call("cudaGraphLaunch", begin + 2, 2, 100 + i);
    for (int k = 0; k < 3; ++k)
      trace.kernel("graph", 7, begin + 4 + 60 * k, 50, 100 + i);
    trace.call("cudaStreamSynchronize", begin + 15, 160, 7000 + i);
  }
  const auto steps = record_small(trace.text());
  EXPECT_NEAR(step_time(steps, {}).value, 200e-6, kExact);
  // 3 x 50 us more; the gaps are the graph's own.
  EXPECT_NEAR(step_time(steps, {.device_speed = 0.5}).value, 350e-6, kExact);
}

/// The trace of the other rank: the first's with one thing replaced.
std::string second_rank(const std::string& from = "", const std::string& to = "") {
  const std::string rank = all_replaced(small_trace(), "\"rank\": 0", "\"rank\": 1");
  return from.empty() ? rank : all_replaced(rank, from, to);
}

std::vector<RecordedStep> record_ranks(const std::string& second, ImportReport& report) {
  const std::string first = small_trace();
  return kineto_reader().record({text_stream(first, "a"), text_stream(second, "b")}, report);
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
  EXPECT_NEAR(step_time(steps, change).value, 1315e-6, kExact);
  EXPECT_TRUE(report.clean());
}

TEST(Replay, AnotherClockOfTheSecondRankChangesNothing) {
  ImportReport report;
  const std::string second = all_replaced(second_rank(), "\"ts\": 5", "\"ts\": 1005");
  EXPECT_NEAR(step_time(record_ranks(second, report), {}).value, 1000e-6, kExact);
  EXPECT_TRUE(report.clean());
}

TEST(Replay, RanksThatEndCollectivesMoreThanAMinuteApartAreDoubted) {
  ImportReport report;
  const std::string second =
      all_replaced(all_replaced(second_rank(), "\"ts\": 5", "\"ts\": 100000005"), "\"ts\": 6",
                   "\"ts\": 100000006");
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
              kineto_reader().record({text_stream(silent, "a"), text_stream(silent, "b")}, report);
            }),
            "b: expected the trace of another rank than a, found the same recording");
  const std::string later = all_replaced(silent, "\"ts\": 5", "\"ts\": 1005");
  kineto_reader().record({text_stream(silent, "a"), text_stream(later, "b")}, report);
  EXPECT_EQ(report.doubtful().at("trace that does not tell its rank, taken as another one").count,
            2U);
}

/// The replayed step is the recorded one within a twentieth, and so is when work starts.
void expect_its_own_recording(const std::string& name) {
  const std::filesystem::path path = recorded_data("kineto") / name;
  STEPCAST_SKIP_WITHOUT(path);
  ImportReport report;
  const auto steps = record_trace(std::span(&path, 1), false, report);
  Seconds recorded{};
  double count = 0;
  for (const RecordedStep& step : steps)
    if (step.whole && !step.stalled) {  // As the replay's mean.
      recorded += step.recorded;
      ++count;
    }
  const ReplayedTimes times = replay(steps, ideal_cluster(1, 1), {});
  EXPECT_NEAR(times.mean / (recorded / count), 1, 0.05);
  EXPECT_LT(times.start_deviation / (recorded / count), 0.05);
}

TEST(Replay, TheA100TraceReplaysItsRecording) {
  expect_its_own_recording("hta_resnet50_ddp_2xa100_rank0.json.gz");
}

TEST(Replay, ATraceBoundByTheDeviceReplaysItsRecording) {
  expect_its_own_recording("param_resnet18_rtx2080ti.json.gz");
}

TEST(Replay, ATraceOfCollectivesThatTheDeviceWaitsForReplaysItsRecording) {
  expect_its_own_recording("tracelens_resnet18_ddp_mi300_rank0.json.gz");
}

TEST(Replay, ATraceOfCudaGraphsReplaysItsRecording) {
  expect_its_own_recording("hta_16xa100_cuda_graphs_rank0.json.gz");
}

}  // namespace
}  // namespace stepcast
