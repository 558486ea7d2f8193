// Where the steps of a trace begin and end, and several ranks of one job.
#include <algorithm>

#include <gtest/gtest.h>

#include "tests/traces/formats/kineto/made_trace.hpp"
#include "tests/traces/formats/kineto/small_import.hpp"

namespace stepcast {
namespace {

using namespace small;

TEST(KinetoSteps, StepsWithoutProfilerMarksLastFromOneAnnotationToTheNext) {
  ImportReport report;
  const TraceSummary summary =
      inspect_kineto(without_lines(small_trace(), "ProfilerStep#"), report);
  ASSERT_EQ(summary.steps.size(), 2U);
  EXPECT_NEAR(summary.steps[0].host.value, 1000e-6, kExactTime);  // Optimizer.step to the next.
  // From 500 to the end of the last work at 650; the host's synchronisation goes on until 655.
  EXPECT_NEAR(summary.steps[1].host.value, 150e-6, kExactTime);
  // On the device the first one begins with its host and ends with the copy until 1490; the second
  // is a part of a step. No period of the device was recorded: it is the host's.
  EXPECT_NEAR(summary.steps[0].duration.value, 990e-6, kExactTime);
  EXPECT_FALSE(summary.steps[1].whole);
  EXPECT_NEAR(summary.device_step->value, 1000e-6, kExactTime);
}

TEST(KinetoSteps, ALostMarkIsPutBackBetweenItsNeighbours) {
  const std::string whole = ahead_of_its_device().text();
  ImportReport report;
  const TraceSummary known = inspect_kineto(whole, report);
  const TraceSummary restored =
      inspect_kineto(all_replaced(whole, "ProfilerStep#1", "lost"), report);
  ASSERT_EQ(restored.steps.size(), known.steps.size());
  for (std::size_t i = 0; i < known.steps.size(); ++i) {
    EXPECT_EQ(restored.steps[i].name, known.steps[i].name);
    EXPECT_EQ(restored.steps[i].work, known.steps[i].work);
    EXPECT_NEAR(restored.steps[i].duration.value, known.steps[i].duration.value, kExactTime);
  }
  EXPECT_EQ(
      report.doubtful().at("step without a mark, taken to be all between its neighbours").count,
      1U);
}

TEST(KinetoSteps, NothingIsPutBackWhereNothingRanOrMoreThanOneIsSkipped) {
  MadeTrace idle;
  for (const int number : {1, 3}) {  // 100 us of which the profiler recorded nothing between
    idle.step(number, 100 * number, 100);
    idle.host("aten::linear", 100 * number + 1, 20);
    idle.launched("gemm", 7, 100 * number + 5, 100 * number + 10, 50);
  }
  ImportReport report;
  EXPECT_EQ(inspect_kineto(idle.text(), report).steps.size(), 2U);
  const std::string two = all_replaced(ahead_of_its_device().text(), "ProfilerStep#1", "lost");
  EXPECT_EQ(
      inspect_kineto(all_replaced(two, "ProfilerStep#2", "ProfilerStep#3"), report).steps.size(),
      2U);
}

TEST(KinetoSteps, AnAnnotationInsideAnotherOfItsNameIsNoStep) {
  const std::string inner =
      R"({"ph": "X", "cat": "user_annotation", "name": "pass", "pid": 1, "tid": 1, "ts": 5001, "dur": 900, "args": {}},
{"ph": "X", "cat": "user_annotation", "name": "pass", "pid": 1, "tid": 1, "ts": 5002, "dur": 800, "args": {}},
)";
  const std::string list = "\"traceEvents\": [\n";
  ImportReport report;
  const TraceSummary summary = inspect_kineto(
      all_replaced(without_lines(small_trace(), "ProfilerStep#"), list, list + inner), report);
  ASSERT_EQ(summary.steps.size(), 2U);
  EXPECT_EQ(summary.facts.at(1).second, "annotation \"Optimizer.step#SGD.step\"");
}

TEST(KinetoSteps, WithoutAnnotationsAllIsOneStep) {
  ImportReport report;
  const TraceSummary summary =
      inspect_kineto(without_lines(small_trace(), "user_annotation"), report);
  ASSERT_EQ(summary.steps.size(), 1U);
  EXPECT_EQ(summary.steps[0].work, 16U);
  EXPECT_EQ(report.doubtful().at("trace without marks of steps, taken as one step").count, 1U);
}

TEST(KinetoSteps, PytorchsOwnRecordsOfCollectivesAreNoSteps) {
  const std::string records =
      R"({"ph": "X", "cat": "user_annotation", "name": "nccl:all_reduce", "pid": 1, "tid": 2, "ts": 5005, "dur": 1, "args": {}},
{"ph": "X", "cat": "user_annotation", "name": "nccl:all_reduce", "pid": 1, "tid": 2, "ts": 5008, "dur": 1, "args": {}},
)";
  const std::string list = "\"traceEvents\": [\n";
  ImportReport report;
  const TraceSummary summary = inspect_kineto(
      all_replaced(without_lines(small_trace(), "ProfilerStep#"), list, list + records), report);
  EXPECT_EQ(summary.facts.at(1).second, "annotation \"Optimizer.step#SGD.step\"");
}

TEST(KinetoSteps, CollectivesHaveKindSizeAndTime) {
  ImportReport report;
  const TraceSummary summary = inspect_kineto(small_trace(), report);
  ASSERT_EQ(summary.collectives.size(), 1U);
  EXPECT_EQ(summary.collectives[0].kind, "all-reduce");
  EXPECT_EQ(summary.collectives[0].size, Bytes{600});  // 150 floats
  EXPECT_EQ(summary.collectives[0].count, 2U);
  EXPECT_NEAR(summary.collectives[0].time.value, 140e-6, kExactTime);
  EXPECT_NEAR(summary.exposed_communication.value, 140e-6, kExactTime);
}

TEST(KinetoSteps, ASizeThatTheKernelLacksComesFromTheOperatorAroundItsLaunch) {
  const std::string text =
      all_replaced(small_trace(), "\"stream\": 20, \"correlation\": 6, \"Collective name\"",
                   "\"stream\": 20, \"correlation\": 6, \"x\"");
  ImportReport report;
  EXPECT_EQ(inspect_kineto(text, report).collectives.at(0).size, Bytes{600});
  EXPECT_TRUE(report.clean());
}

TEST(KinetoSteps, TheBareListOfEventsIsOneToo) {
  EXPECT_TRUE(kineto_reader().sniff("[\n{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"a\"}"));
  EXPECT_FALSE(kineto_reader().sniff("[\n{\"ph\": \"B\", \"name\": \"NEGOTIATE_ALLREDUCE\"}"));
  EXPECT_FALSE(kineto_reader().sniff("[\n{\"ph\": \"X\", \"cat\": \"news\", \"name\": \"a\"}"));
}

// ---- ranks

std::string ranks_error(const std::string& second) {
  const std::string first = small_trace();
  return input_error_of([&] {
    ImportReport report;
    kineto_reader().read({text_stream(first, "a"), text_stream(second, "b")}, {}, report);
  });
}

TEST(KinetoSteps, RanksOfOneJobAreAveraged) {
  const std::string first = small_trace();
  // conv2d's backward kernel takes 100 us on one rank and 60 us on the other.
  const std::string second =
      all_replaced(all_replaced(first, "\"rank\": 0", "\"rank\": 1"),
                   R"("name": "conv_backward", "pid": 0, "tid": 7, "ts": 5310, "dur": 100)",
                   R"("name": "conv_backward", "pid": 0, "tid": 7, "ts": 5310, "dur": 20)");
  ImportReport report;
  const Workload workload =
      kineto_reader().read({text_stream(first, "a"), text_stream(second, "b")}, {}, report);
  // Three steps of 100 us and one of 20 us.
  EXPECT_NEAR(layer_of(workload, "conv2d-0").backward.value, 80e-6, kExactTime);
}

TEST(KinetoSteps, TheProvenanceOfSeveralRanksTellsTheirClockOffsets) {
  // All times of the second rank are those of the first, 1 s later.
  const std::string first = small_trace();
  const std::string second = all_replaced(
      all_replaced(all_replaced(first, "\"rank\": 0", "\"rank\": 1"), "\"ts\": 5", "\"ts\": 1005"),
      "\"ts\": 6", "\"ts\": 1006");
  ImportReport report;
  const Workload workload =
      kineto_reader().read({text_stream(first, "a"), text_stream(second, "b")}, {}, report);
  const auto& notes = workload.provenance.notes;
  EXPECT_NE(std::ranges::find(notes,
                              "clocks against rank 0's, by the ends of 2 collectives: "
                              "rank 1 +1 s (half within 0 s)"),
            notes.end());
}

TEST(KinetoSteps, RanksOfDifferentJobsAreRefused) {
  EXPECT_EQ(ranks_error(small_trace()), "b: expected another rank than in a, found rank 0 in both");
  const std::string other = all_replaced(small_trace(), "\"rank\": 0", "\"rank\": 1");
  EXPECT_EQ(ranks_error(all_replaced(other, "\"world_size\": 2", "\"world_size\": 4")),
            "b: expected a job of 2 ranks as in a, found a job of 4 ranks");
  EXPECT_EQ(ranks_error(without_lines(other, "ProfilerStep#1")),
            "b: expected 2 steps as in a, found 1");
  EXPECT_EQ(ranks_error(all_replaced(other, "msg nelems\": 150", "msg nelems\": 999")),
            "b: expected gradient buckets of 600 B as in a, found 3.902 KiB: no ranks of one job");
  const std::string silent = without_lines(small_trace(), "distributedInfo");
  const std::string later = all_replaced(silent, "\"ts\": 5", "\"ts\": 1005");
  ImportReport report;
  EXPECT_EQ(input_error_of([&] {
              kineto_reader().read(
                  {text_stream(silent, "a"),
                   text_stream(all_replaced(later, "aten::conv2d", "aten::conv3d"), "b")},
                  {}, report);
            }),
            "b: expected the layers of a, found others: no ranks of one job");
}

// Stages of a pipeline and shards of embeddings: the mean is that of the ranks like the first.
TEST(KinetoSteps, RanksWithOtherLayersAreRanksOfOneJob) {
  const std::string first = small_trace();
  const std::string other = all_replaced(all_replaced(first, "\"rank\": 0", "\"rank\": 1"),
                                         "aten::conv2d", "aten::conv3d");
  ImportReport report;
  const Workload workload =
      kineto_reader().read({text_stream(first, "a"), text_stream(other, "b")}, {}, report);
  EXPECT_EQ(layer_of(workload, "conv2d-0").kind, "conv2d");
  EXPECT_EQ(report.doubtful()
                .at("rank with other layers than the first one's, left out (a pipeline stage or a "
                    "shard of the model)")
                .first,
            "b");
  EXPECT_NE(workload.provenance.method.find("mean of 2 steps"), std::string::npos);
}

}  // namespace
}  // namespace stepcast
