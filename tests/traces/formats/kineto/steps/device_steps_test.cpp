// The device's own steps, by made traces (their times: made_trace.hpp).
#include "traces/formats/kineto/steps/device_steps.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "tests/traces/formats/kineto/made_trace.hpp"
#include "tests/traces/formats/kineto/small_trace.hpp"
#include "traces/formats/kineto/layers/layer_times.hpp"

namespace stepcast {
namespace {

constexpr double kExact = 1e-12;
constexpr double kMicro = 1e-6;

TraceSummary summary_of(const MadeTrace& trace) {
  ImportReport report;
  return inspect_kineto(trace.text(), report);
}

Workload import_made(const MadeTrace& trace) {
  ImportReport report;
  return import_kineto(trace.text(), {.batch = 8}, report);
}

Seconds time_of(const TraceSummary& summary, const std::string& category) {
  const auto found = std::ranges::find(summary.categories, category, &TraceSummary::Category::name);
  return found == summary.categories.end() ? Seconds{} : found->time;
}

TEST(DeviceSteps, AHostThatRunsAheadIsNotTheDevicesStep) {
  const TraceSummary summary = summary_of(ahead_of_its_device());
  ASSERT_EQ(summary.steps.size(), 3U);
  EXPECT_NEAR(summary.device_step->value, 300 * kMicro, kExact);
  for (const StepSummary& step : summary.steps) {
    EXPECT_TRUE(step.whole);
    EXPECT_NEAR(step.duration.value, 300 * kMicro, kExact);
    EXPECT_NEAR(step.host.value, 100 * kMicro, kExact);
    EXPECT_NEAR(step.device.value, 150 * kMicro, kExact);
    EXPECT_NEAR(step.collective_waits.value, 150 * kMicro, kExact);
    EXPECT_NEAR(step.host_gaps.value, 0, kExact);
  }
  EXPECT_TRUE(summary.doubts.empty());
}

TEST(DeviceSteps, AnImportIsOfTheDevicesStep) {
  // The forecast gets the 150 us that the device computes a step, and no gap for the host.
  const Workload workload = import_made(ahead_of_its_device());
  EXPECT_NEAR((forward_time(workload) + backward_time(workload)).value, 150 * kMicro, kExact);
  EXPECT_EQ(host_gap_time(workload), Seconds{});
}

// A kernel of the first step that runs after all of the second made that one's period negative, and
// then no step was left to average: a crash.
TEST(DeviceSteps, AKernelThatOutlastsTheNextStepLeavesThatNoPeriod) {
  const std::string text = all_replaced(small_trace(), "\"ts\": 5530,", "\"ts\": 65536,");
  ImportReport report;
  const TraceSummary summary = inspect_kineto(text, report);
  ASSERT_EQ(summary.steps.size(), 2U);
  for (const StepSummary& step : summary.steps)
    EXPECT_GT(step.duration, Seconds{});
  EXPECT_FALSE(summary.steps[1].whole);
  EXPECT_FALSE(import_kineto(text, {.batch = 8}, report).layers.empty());
}

TEST(DeviceSteps, WorkLaunchedBeforeTheProfileIsInNoLayer) {
  const TraceSummary summary = summary_of(ahead_of_its_device());
  EXPECT_NEAR(time_of(summary, "before the profile").value, 310 * kMicro, kExact);
  EXPECT_EQ(time_of(summary, "outside of steps"), Seconds{});
}

TEST(DeviceSteps, AStepThatNoneIsKnownBeforeIsInNoMean) {
  // The first begins on the host at 0 and ends on the device at 260; the others end at 560 and 860.
  MadeTrace trace;
  for (int i = 0; i < 3; ++i) {
    trace.step(i, 300 * i, 300);
    trace.host("aten::linear", 300 * i + 1, 20);
    trace.launched("gemm", 7, 300 * i + 5, 300 * i + 60, 200);
  }
  const TraceSummary summary = summary_of(trace);
  EXPECT_FALSE(summary.steps[0].whole);
  EXPECT_NEAR(summary.steps[0].duration.value, 260 * kMicro, kExact);
  EXPECT_NEAR(summary.device_step->value, 300 * kMicro, kExact);
  EXPECT_NEAR(summary.steps[1].host_gaps.value, 100 * kMicro, kExact);
  EXPECT_NEAR(host_gap_time(import_made(trace)).value, 100 * kMicro, kExact);
}

MadeTrace one_step_launched_before() {
  MadeTrace trace;
  trace.kernel("before", 7, 990, 110);
  trace.step(0, 1000, 400);
  trace.host("aten::linear", 1001, 20);
  trace.launched("gemm", 7, 1005, 1100, 300);
  return trace;
}

TEST(DeviceSteps, WorkLaunchedBeforeTheOnlyStepIsDoubtedWithItsTime) {
  const TraceSummary summary = summary_of(one_step_launched_before());
  EXPECT_NEAR(summary.device_step->value, 410 * kMicro, kExact);
  EXPECT_NEAR(summary.steps[0].device.value, 410 * kMicro, kExact);
  ASSERT_EQ(summary.doubts.size(), 1U);
  EXPECT_EQ(summary.doubts[0],
            "110 us of the step are 1 pieces of device work launched before the profile: the trace "
            "holds one step, and whether they belong to it is not recorded");
  const Workload workload = import_made(one_step_launched_before());
  const auto before = std::ranges::find(workload.layers, kUnlaunched, &Layer::kind);
  ASSERT_NE(before, workload.layers.end());
  EXPECT_NEAR(before->forward.value, 110 * kMicro, kExact);
}

TEST(DeviceSteps, WorkWithoutALaunchInTheMiddleBelongsToTheStepAroundIt) {
  MadeTrace trace = ahead_of_its_device();
  // On the device in the first step's time, on the host in the third's; 5 us of the update's 50.
  trace.kernel("lost", 7, 1205, 5);
  const TraceSummary summary = summary_of(trace);
  EXPECT_NEAR(summary.steps[0].device.value, 155 * kMicro, kExact);
  EXPECT_NEAR(summary.steps[2].device.value, 150 * kMicro, kExact);
}

// A kernel of 1 ms, an all-reduce of 700 us behind it, and a host that waits for the device.
TEST(DeviceSteps, TheLastStepsWaitForACollectiveIsNoHostGap) {
  MadeTrace trace;
  trace.step(1, 1000, 1740);
  trace.host("aten::mm", 1010, 20);
  trace.launched("gemm", 7, 1012, 1025, 1000);
  trace.host("c10d::allreduce_", 1040, 20);
  trace.launched("ncclDevKernel_AllReduce_Sum_f32", 20, 1045, 2027, 700);
  trace.call("cudaDeviceSynchronize", 1070, 1665, 7000);
  const TraceSummary summary = summary_of(trace);
  EXPECT_NEAR(summary.steps[0].collective_waits.value, 700 * kMicro, kExact);
  // 25 us before the kernel, 2 before the all-reduce, 13 behind it.
  EXPECT_NEAR(summary.steps[0].host_gaps.value, 40 * kMicro, kExact);
  EXPECT_NEAR(host_gap_time(import_made(trace)).value, 40 * kMicro, kExact);
}

/// Steps of 300 us in which a second stream computes for `beside` us while the first does for 200.
MadeTrace on_two_streams(double beside) {
  MadeTrace trace;
  for (int i = 0; i < 3; ++i) {
    trace.step(i, 300 * i, 300);
    trace.host("aten::linear", 300 * i + 1, 20);
    trace.launched("gemm", 7, 300 * i + 5, 300 * i + 60, 200);
    trace.launched("side", 8, 300 * i + 8, 300 * i + 60, beside);
  }
  return trace;
}

TEST(DeviceSteps, PartsThatDoNotAddUpToTheStepAreDoubtedAndThenRefused) {
  // 2 us of 300 are within the tolerance, 6 are doubted, 30 refused.
  EXPECT_TRUE(summary_of(on_two_streams(2)).doubts.empty());
  const TraceSummary doubted = summary_of(on_two_streams(6));
  ASSERT_EQ(doubted.doubts.size(), 1U);
  EXPECT_EQ(doubted.doubts[0],
            "ProfilerStep#1: computing, idle and exposed times add up to 306 us, 2.0 % off its "
            "300 us");
  ImportReport report;
  import_kineto(on_two_streams(6).text(), {.batch = 8}, report);
  EXPECT_EQ(report.doubtful().at("step that its layers, gaps and waits do not add up to").count,
            2U);
  EXPECT_EQ(input_error_of([] { import_made(on_two_streams(30)); }),
            "t.json: layers, gaps and waits for collectives are 10.0 % off a recorded step: a "
            "workload of them would not be the step that was measured");
}

}  // namespace
}  // namespace stepcast
