// What the device waited for, by the small trace (its times: small_trace.hpp).
#include "traces/formats/kineto/device_idle.hpp"

#include <gtest/gtest.h>

#include "tests/traces/formats/kineto/small_trace.hpp"

namespace stepcast {
namespace {

constexpr double kExact = 1e-12;

TraceSummary summary_of(const std::string& text) {
  ImportReport report;
  return inspect_kineto(text, report);
}

/// The copy out of the bucket launched from `begin` for 10 us in both steps, and run from `start`.
std::string with_copy_at(const std::string& begin, const std::string& start) {
  std::string text = small_trace();
  for (const std::string step : {"5", "6"}) {
    text = all_replaced(text, "\"ts\": " + step + "440, \"dur\": 10",
                        "\"ts\": " + step + begin + ", \"dur\": 10");
    text = all_replaced(text, "\"ts\": " + step + "480, \"dur\": 10",
                        "\"ts\": " + step + start + ", \"dur\": 10");
  }
  return text;
}

TEST(DeviceIdle, AStretchThatEndsWithACollectiveIsAWaitForIt) {
  const TraceSummary summary = summary_of(small_trace());
  // The copy is launched until 450 and starts when the all-reduce of 410 to 480 ends.
  for (const StepSummary& step : summary.steps)
    EXPECT_NEAR(step.collective_waits.value, 70e-6, kExact);
  // Before 35, in 245-265, 275-310 and 490-530; and from the end of the first step's work at 650
  // on, which is where the second step begins on the device.
  EXPECT_NEAR(summary.steps[0].host_gaps.value, (35 + 20 + 35 + 40) * 1e-6, kExact);
  EXPECT_NEAR(summary.steps[1].host_gaps.value, (350 + 35 + 20 + 35 + 40) * 1e-6, kExact);
}

TEST(DeviceIdle, AWaitForACollectiveIsOfTheStepWhoseWorkWaits) {
  // The second step begins on the host at 430, within the all-reduce of 410 to 480 (its marks are
  // the profiler's own, so that they may lie anywhere): on the device it does at 410, behind the
  // last work that the first one launched.
  std::string text =
      all_replaced(small_trace(), "\"ts\": 6000, \"dur\": 1000", "\"ts\": 5430, \"dur\": 1570");
  text = all_replaced(text, "\"ts\": 5000, \"dur\": 1000", "\"ts\": 5000, \"dur\": 430");
  const TraceSummary summary = summary_of(text);
  EXPECT_EQ(summary.steps[0].collective_waits, Seconds{});
  EXPECT_NEAR(summary.steps[1].collective_waits.value, (70 + 70) * 1e-6, kExact);
  EXPECT_NEAR(summary.steps[0].host_gaps.value, (35 + 20 + 35) * 1e-6, kExact);
}

TEST(DeviceIdle, AStretchBesideACollectiveIsTheHostsIfItEndsWithTheLaunch) {
  // Launched until 480, when the all-reduce has ended: 410 to 485 is the host's.
  const TraceSummary summary = summary_of(with_copy_at("470", "485"));
  EXPECT_EQ(summary.steps[0].collective_waits, Seconds{});
  EXPECT_NEAR(summary.steps[0].host_gaps.value, (35 + 20 + 35 + 75 + 35) * 1e-6, kExact);
}

TEST(DeviceIdle, AHostThatSynchronisesWithACollectiveWaitsForIt) {
  // The backward thread returns from the call at 482, 2 us behind the all-reduce, and then launches
  // the copy until 495. 410 to 480 is the wait, 480 to 497 the host's; then 507 to 530.
  const std::string call = "\"cudaStreamWaitEvent\", \"pid\": 1, \"tid\": 2, \"ts\": ";
  const std::string sync = "\"cudaStreamSynchronize\", \"pid\": 1, \"tid\": 2, \"ts\": ";
  std::string text = with_copy_at("485", "497");
  for (const std::string step : {"5", "6"})
    text = all_replaced(text, call + step + "425, \"dur\": 5", sync + step + "425, \"dur\": 57");
  const TraceSummary summary = summary_of(text);
  EXPECT_NEAR(summary.steps[0].collective_waits.value, 70e-6, kExact);
  EXPECT_NEAR(summary.steps[0].host_gaps.value, (35 + 20 + 35 + 17 + 23) * 1e-6, kExact);
}

TEST(DeviceIdle, TimeBetweenRecordedStepsIsNoGap) {
  // Step 7 does not follow step 0, which ends with its annotation at 700: 50 us behind its work.
  std::string text = all_replaced(small_trace(), "ProfilerStep#1", "ProfilerStep#7");
  text = all_replaced(text, "\"ts\": 5000, \"dur\": 1000", "\"ts\": 5000, \"dur\": 700");
  const TraceSummary summary = summary_of(text);
  EXPECT_NEAR(summary.steps[0].duration.value, 700e-6, kExact);
  EXPECT_NEAR(summary.steps[0].host_gaps.value, (130 + 50) * 1e-6, kExact);
  EXPECT_NEAR(summary.steps[1].host_gaps.value, (130 + 350) * 1e-6, kExact);
}

TEST(DeviceIdle, AStepWithoutWorkIsNoGapOfTheNext) {
  const std::string empty =
      R"({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#0", "pid": 1, "tid": 1, "ts": 3000, "dur": 2000, "args": {}},)";
  const std::string list = "\"traceEvents\": [\n";
  const TraceSummary summary = summary_of(all_replaced(small_trace(), list, list + empty + "\n"));
  ASSERT_EQ(summary.steps.size(), 3U);
  EXPECT_EQ(summary.steps[0].host_gaps, Seconds{});
  EXPECT_NEAR(summary.steps[1].host_gaps.value, 130e-6, kExact);
  EXPECT_NEAR(summary.steps[2].host_gaps.value, (350 + 130) * 1e-6, kExact);
}

TEST(DeviceIdle, TheFirstEventOfTheFileNeedNotBeTheEarliest) {
  // Times count from the first event: with a late one in front all others lie below zero.
  const std::string late =
      R"({"ph": "X", "cat": "cpu_op", "name": "aten::late", "pid": 1, "tid": 3, "ts": 6900, "dur": 1, "args": {}},)";
  const std::string list = "\"traceEvents\": [\n";
  const TraceSummary summary = summary_of(all_replaced(small_trace(), list, list + late + "\n"));
  EXPECT_NEAR(summary.steps[0].host_gaps.value, 130e-6, kExact);
  EXPECT_NEAR(summary.steps[1].host_gaps.value, (350 + 130) * 1e-6, kExact);
}

}  // namespace
}  // namespace stepcast
