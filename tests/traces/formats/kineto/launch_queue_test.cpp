// What is launched and has not begun, by the small trace (its times: small_trace.hpp).
#include <gtest/gtest.h>

#include "tests/traces/formats/kineto/small_trace.hpp"
#include "traces/formats/kineto/device_work.hpp"

namespace stepcast {
namespace {

std::optional<LaunchQueue> queue_of(const std::string& text) {
  ImportReport report;
  const auto source = open_text(text);
  const KinetoTrace trace = read_kineto_trace(*source, "t.json", report);
  return launch_queue(trace, interpret(trace, report));
}

// From the ends of their launches on 5, 55, 25, 5 and 30 us lie before the begins of five pieces of
// work, one after the other; the rest begins at once. The steps take 650 and 1000 us.
TEST(LaunchQueueTest, WorkWaitsFromItsLaunchToItsBegin) {
  const auto queue = queue_of(small_trace());
  ASSERT_TRUE(queue);
  EXPECT_NEAR(queue->length, 240.0 / 1650, 1e-9);
  EXPECT_NEAR(queue->empty, 1 - 240.0 / 1650, 1e-9);
}

// The second kernel's launch ends at 25 instead of 80: for 5 of its 110 us two wait.
TEST(LaunchQueueTest, WhatWaitsTogetherIsCountedTwiceButIsNoTwoTimes) {
  std::string text = small_trace();
  for (const std::string step : {"5", "6"})
    text = all_replaced(text, "\"ts\": " + step + "070, \"dur\": 10",
                        "\"ts\": " + step + "015, \"dur\": 10");
  const auto queue = queue_of(text);
  ASSERT_TRUE(queue);
  EXPECT_NEAR(queue->length, 350.0 / 1650, 1e-9);
  EXPECT_NEAR(queue->empty, 1 - 340.0 / 1650, 1e-9);
}

TEST(LaunchQueueTest, WithoutLaunchesThereIsNone) {
  EXPECT_FALSE(queue_of(all_replaced(small_trace(), "cuda_runtime", "overhead")));
}

// Of the host's memory are notes of a device of type 0.
TEST(LaunchQueueTest, TheMostOfADevicesMemoryIsKept) {
  const auto note = [](int type, int allocated, int reserved) {
    return "{\"ph\": \"i\", \"s\": \"t\", \"name\": \"[memory]\", \"pid\": 1, \"tid\": 1, \"ts\": "
           "5010, \"args\": {\"Device Type\": " +
           std::to_string(type) +
           ", \"Device Id\": 0, \"Total Allocated\": " + std::to_string(allocated) +
           ", \"Total Reserved\": " + std::to_string(reserved) + "}},";
  };
  const std::string text =
      all_replaced(small_trace(), "\"traceEvents\": [",
                   "\"traceEvents\": [" + note(1, 700, 1000) + note(1, 900, 2000) +
                       note(1, 100, 1500) + note(0, 5000, 6000));
  ImportReport report;
  const auto source = open_text(text);
  const KinetoTrace trace = read_kineto_trace(*source, "t.json", report);
  EXPECT_EQ(trace.most_allocated, Bytes{900});
  EXPECT_EQ(trace.most_reserved, Bytes{2000});
}

}  // namespace
}  // namespace stepcast
