// What is left out of a trace or doubted, and counted.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/traces/formats/kineto/small_import.hpp"

namespace stepcast {
namespace {

using namespace small;

// ---- bad input

TEST(KinetoDoubts, NegativeDurationsAreSkippedAndCounted) {
  ImportReport report;
  inspect_kineto(all_replaced(small_trace(), "\"dur\": 70,", "\"dur\": -70,"), report);
  EXPECT_EQ(report.skipped().at("event with a negative duration").count, 2U);
}

TEST(KinetoDoubts, EventsOfMoreThanADayAreSkippedAndCounted) {
  ImportReport report;
  inspect_kineto(all_replaced(small_trace(), "\"dur\": 70,", "\"dur\": 1e15,"), report);
  EXPECT_EQ(report.skipped().at("event of more than a day").count, 2U);
}

TEST(KinetoDoubts, EntriesThatAreNoEventsAreSkippedAndCounted) {
  const std::string list = "\"traceEvents\": [\n";
  ImportReport report;
  inspect_kineto(all_replaced(small_trace(), list, list + "7, null, \"a\", [1, [2]],\n"), report);
  EXPECT_EQ(report.skipped().at("entry of the list that is no event").count, 4U);
}

TEST(KinetoDoubts, ABatchBeyondReasonIsNotRecorded) {
  const std::string text = all_replaced(small_trace(), "[[8, 3", "[[4294967296, 3");
  EXPECT_EQ(import_small(all_replaced(text, "[[8, 10", "[[4294967296, 10"), {.batch = 2}).batch,
            2U);
}

TEST(KinetoDoubts, PartOfAStepIsNoneOfThoseThatAreAveraged) {
  // Marked by the optimizer, the second step ends with the optimizer's own work.
  ImportReport report;
  const Workload workload =
      import_kineto(without_lines(small_trace(), "ProfilerStep#"), {.batch = 8}, report);
  EXPECT_EQ(
      report.skipped().at("step with other work than the largest number that are alike").first,
      "step 1");
  EXPECT_NEAR(layer_of(workload, "conv2d-0").forward.value, 100e-6, kExactTime);
}

const char* const kCut =
    "device work that lasted into the next of its stream, ended where that begins";

// Linear's 50 us from 135 on are followed by the backward pass from 185 on. Where they are said to
// last 60 us, or the whole step, they end there.
TEST(KinetoDoubts, WorkEndsWhereTheNextOfItsStreamBegins) {
  ImportReport sound;
  const TraceSummary expected = inspect_kineto(small_trace(), sound);
  for (const char* duration : {"\"dur\": 60,", "\"dur\": 60000,"}) {
    ImportReport report;
    const TraceSummary summary =
        inspect_kineto(all_replaced(small_trace(), "\"dur\": 50,", duration), report);
    EXPECT_EQ(report.doubtful().at(kCut).count, 2U);  // One of each step.
    EXPECT_EQ(report.doubtful().size(), 1U);
    ASSERT_EQ(summary.steps.size(), expected.steps.size());
    for (std::size_t i = 0; i < summary.steps.size(); ++i) {
      EXPECT_NEAR(summary.steps[i].device.value, expected.steps[i].device.value, kExactTime);
      EXPECT_NEAR(summary.steps[i].duration.value, expected.steps[i].duration.value, kExactTime);
    }
  }
}

TEST(KinetoDoubts, WorkWithoutAStreamOrInAGraphIsNotEnded) {
  const std::string longer = all_replaced(small_trace(), "\"dur\": 50,", "\"dur\": 60,");
  for (const char* change : {"\"x\": 7", "\"graph id\": 3, \"stream\": 7"}) {
    ImportReport report;
    inspect_kineto(all_replaced(longer, "\"stream\": 7", change), report);
    EXPECT_FALSE(report.doubtful().contains(kCut)) << change;
  }
}

TEST(KinetoDoubts, WorkWithoutItsLaunchIsDoubtful) {
  ImportReport report;
  inspect_kineto(all_replaced(small_trace(), "\"args\": {\"correlation\": 103}", "\"args\": {}"),
                 report);
  EXPECT_EQ(report.doubtful().at("device work without a recorded launch").count, 1U);
}

TEST(KinetoDoubts, UnknownCategoriesAreSkippedAndCounted) {
  ImportReport report;
  inspect_kineto(all_replaced(small_trace(), "\"cat\": \"cpu_op\"", "\"cat\": \"news\""), report);
  EXPECT_EQ(report.skipped().at("event of an unknown category").first, "event 2");
}

TEST(KinetoDoubts, ATraceWithoutEventsOrWorkIsRefused) {
  EXPECT_EQ(import_error_of(R"({"traceEvents": []})"),
            "t.json: expected \"traceEvents\" with events, found none");
  EXPECT_EQ(import_error_of(without_lines(small_trace(), "\"cat\": \"kernel\"")),
            "t.json: expected work on a device in a step, found none");
  EXPECT_EQ(import_error_of(small_trace().substr(0, 5000)),
            "t.json: the text ends too early (is the file truncated?)");
}

TEST(KinetoDoubts, ATraceWithoutAnyWorkIsRefusedWithWhatWasLookedFor) {
  ImportReport report;
  const std::string error = input_error_of([&] {
    inspect_kineto(R"({"traceEvents": [
      {"ph": "X", "cat": "toplevel", "name": "task", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]})",
                   report);
  });
  EXPECT_TRUE(error.starts_with("t.json: expected device work (category kernel")) << error;
  EXPECT_NE(error.find("found none of them in 1 event; traces of the profilers of PyTorch"),
            std::string::npos)
      << error;
}

TEST(KinetoDoubts, LaunchesOfOtherRuntimesAreLaunches) {
  for (const char* runtime : {"xpu_runtime", "xpu_driver", "privateuse1_runtime"}) {
    ImportReport report;
    inspect_kineto(all_replaced(small_trace(), "\"cuda_runtime\"", fmt::format("\"{}\"", runtime)),
                   report);
    EXPECT_TRUE(report.clean()) << runtime;
  }
}

TEST(KinetoDoubts, WorkOutsideOfStepsIsSkippedAndInNoCategoryOfTraining) {
  // Without the mark of the second step, its 8 pieces of 520 us lie outside.
  ImportReport report;
  const TraceSummary summary =
      inspect_kineto(without_lines(small_trace(), "ProfilerStep#1"), report);
  EXPECT_EQ(report.skipped().at("device work outside of the steps").count, 8U);
  const auto outside =
      std::ranges::find(summary.categories, "outside of steps", &TraceSummary::Category::name);
  ASSERT_NE(outside, summary.categories.end());
  EXPECT_EQ(outside->count, 8U);
  EXPECT_NEAR(outside->time.value, 520e-6, kExactTime);  // 450 of computation, 70 of collectives.
  Seconds inside{};
  for (const auto& category : summary.categories)
    inside += category.name == outside->name ? Seconds{} : category.time;
  EXPECT_NEAR(inside.value, (summary.steps.at(0).device + summary.steps.at(0).communication).value,
              kExactTime);
}

TEST(KinetoDoubts, ANegativeCorrelationJoinsNothing) {
  std::string text = all_replaced(small_trace(), "\"stream\": 7, \"correlation\": 3}",
                                  "\"stream\": 7, \"correlation\": -1}");
  text =
      all_replaced(text, "\"traceEvents\": [\n",
                   "\"traceEvents\": [\n{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": "
                   "\"cudaGetDevice\", \"pid\": 1, \"tid\": 1, \"ts\": 5005, \"dur\": 1, \"args\": "
                   "{\"correlation\": 0}},\n");
  ImportReport report;
  inspect_kineto(text, report);
  EXPECT_EQ(report.doubtful().at("device work without a recorded launch").count, 1U);
}

TEST(KinetoDoubts, WorkThatBeginsBeforeItsLaunchIsDoubtful) {
  // The all-reduce of each step runs from 410 on; launched by the call at 520 it cannot.
  ImportReport report;
  inspect_kineto(all_replaced(small_trace(), "\"stream\": 20, \"correlation\": 6,",
                              "\"stream\": 20, \"correlation\": 9,"),
                 report);
  EXPECT_EQ(report.doubtful().at("device work that begins before its launch").count, 1U);
}

TEST(KinetoDoubts, EventsThatStartDaysFromTheOthersAreSkippedAndCounted) {
  ImportReport report;
  const TraceSummary summary =
      inspect_kineto(all_replaced(small_trace(), "\"ts\": 5410,", "\"ts\": 1e18,"), report);
  EXPECT_EQ(report.skipped().at("event that starts more than a day from most others").count, 1U);
  EXPECT_EQ(summary.collectives.at(0).count, 1U);
}

TEST(KinetoDoubts, ACollectiveOfAnUnknownTypeHasNoSize) {
  const auto with_type = [](const char* type) {
    return all_replaced(small_trace(), "\"dtype\": \"Float\"",
                        std::string("\"dtype\": \"").append(type).append("\""));
  };
  ImportReport report;
  inspect_kineto(with_type("Mystery"), report);
  EXPECT_EQ(report.doubtful().at("collective without a recorded size").count, 2U);
  ImportReport eight_bits;
  const TraceSummary summary = inspect_kineto(with_type("c10::Float8_e4m3fn"), eight_bits);
  EXPECT_TRUE(eight_bits.clean());
  EXPECT_EQ(summary.collectives.at(0).size, Bytes{150});
}

TEST(KinetoDoubts, CopiesOfInputAreNoComputation) {
  ImportReport report;
  std::string text = all_replaced(small_trace(), "\"cat\": \"kernel\", \"name\": \"conv_forward\"",
                                  "\"cat\": \"gpu_memcpy\", \"name\": \"Memcpy HtoD\"");
  const TraceSummary summary = inspect_kineto(text, report);
  EXPECT_NEAR(summary.steps.at(0).input_copies.value, 100e-6, kExactTime);
  EXPECT_NEAR(summary.steps.at(0).device.value, 350e-6, kExactTime);
}

TEST(KinetoDoubts, StreamsOfASecondDeviceAreKeptApart) {
  // The copy into the bucket, 265 to 275, beside other work of stream 7 from 310 on: moved onto the
  // other device, nothing overlaps, although both streams are number 7.
  std::string text =
      all_replaced(small_trace(), "\"ts\": 5265, \"dur\": 10, \"args\": {\"device\": 0",
                   "\"ts\": 5265, \"dur\": 90, \"args\": {\"device\": 1");
  ImportReport report;
  inspect_kineto(text, report);
  EXPECT_EQ(report.doubtful()
                .at("work on another device of the same process, taken as other streams")
                .count,
            1U);
  EXPECT_EQ(report.doubtful().size(), 1U);
  ImportReport one_device;
  inspect_kineto(all_replaced(text, "\"device\": 1", "\"device\": 0"), one_device);
  EXPECT_EQ(one_device.doubtful().at(kCut).count, 1U);
}

}  // namespace
}  // namespace stepcast
