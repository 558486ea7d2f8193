#include <set>

#include <gtest/gtest.h>

#include "tests/traces/formats/kineto/made_trace.hpp"

namespace stepcast {
namespace {

/// Streams whose work of earlier steps the step waits for.
std::set<std::string> awaited(const RecordedStep& step) {
  std::set<std::string> names;
  for (const auto& [stream, task] : step.earlier)
    names.insert(step.streams[stream]);
  return names;
}

// Each step begins with a call that waits for all streams, and computes on stream 7.
TEST(RecordedSteps, StepWaitsForWhatWasLaunchedBeforeItInAndBetweenSteps) {
  MadeTrace trace;
  for (int i = 0; i < 3; ++i) {
    const double begin = 1000 + 300 * i;
    trace.step(2 * i, begin, 100);
    trace.host("aten::linear", begin + 1, 30);
    trace.call("cudaDeviceSynchronize", begin + 2, 3, 99);
    trace.launched("gemm", 7, begin + 10, begin + 20, 30);
    trace.launched("between", 8 + i, begin + 150, begin + 160, 20);
  }
  ImportReport report;
  const std::string text = trace.text();
  const auto steps = kineto_reader().record({text_stream(text, "t.json")}, report);
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(awaited(steps[0]), std::set<std::string>());
  EXPECT_EQ(awaited(steps[1]), (std::set<std::string>{"device stream 7", "device stream 8"}));
  EXPECT_EQ(awaited(steps[2]),
            (std::set<std::string>{"device stream 7", "device stream 8", "device stream 9"}));
}

}  // namespace
}  // namespace stepcast
