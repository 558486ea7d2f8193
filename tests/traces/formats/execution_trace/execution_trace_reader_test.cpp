#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "tests/support/recorded_data.hpp"
#include "traces/formats/recognition/recognised_file.hpp"

namespace stepcast {
namespace {

constexpr const char* kTiny = R"({"schema": "1.1.0-chakra.0.0.4", "nodes": [
{"id": 2, "name": "torch::autograd::AccumulateGrad", "inputs": {"values": [], "shapes": [[5, 10]], "types": []}},
{"id": 3, "name": "record_param_comms", "inputs": {"shapes": []}, "attrs": [
  {"name": "collective_name", "type": "string", "value": "allreduce"},
  {"name": "dtype", "type": "string", "value": "Float"},
  {"name": "in_msg_nelems", "type": "uint64", "value": 50},
  {"name": "out_msg_nelems", "type": "uint64", "value": 50}]},
{"id": 4, "name": "record_param_comms", "inputs": {"shapes": []}},
{"id": 5}]})";

TraceSummary inspect(const TraceStream& file, ImportReport& report) {
  return execution_trace_reader().inspect({file}, {}, report);
}

TEST(ExecutionTraceReader, CollectivesAndGradientsHaveTheirSizes) {
  ImportReport report;
  const TraceSummary summary = inspect(text_stream(kTiny, "e.json"), report);
  ASSERT_EQ(summary.collectives.size(), 1U);
  EXPECT_EQ(summary.collectives[0].kind, "all-reduce");
  EXPECT_EQ(summary.collectives[0].size, Bytes{200});
  EXPECT_EQ(summary.facts[2].second, "1 of 50 elements");
  EXPECT_EQ(report.skipped().at("node without a name").first, "node 3");
  EXPECT_EQ(report.doubtful().at("collective without attributes").first, "node 2");
}

// Up to schema 1.0.3 shapes and types stand beside the values, and nodes have no attributes.
TEST(ExecutionTraceReader, OldSchemasNoteShapesBesideTheValues) {
  constexpr const char* kOld = R"J({"schema": "1.0.2", "nodes": [
{"id": 2, "rf_id": 7, "name": "torch::autograd::AccumulateGrad", "inputs": [[50, 17, 0, 30, 4, "cuda:0"]],
 "input_shapes": [[5, 6]], "input_types": ["Tensor(float)"], "outputs": [], "output_shapes": []},
{"id": 3, "name": "record_param_comms", "inputs": [[[9, 8, 0, 30, 2, "cuda:0"]], 4, 0, 1, "allreduce"],
 "input_shapes": [[[10], [20]], [], [], [], []], "input_types": ["GenericList[Tensor(c10::Half)]", "Int"],
 "outputs": [], "output_shapes": []}]})J";
  ImportReport report;
  const TraceSummary summary = inspect(text_stream(kOld, "e.json"), report);
  EXPECT_EQ(summary.facts[2].second, "1 of 30 elements");
  ASSERT_EQ(summary.collectives.size(), 1U);
  EXPECT_EQ(summary.collectives[0].kind, "all-reduce");
  EXPECT_EQ(summary.collectives[0].size, Bytes{60});  // 10 + 20 elements of 2 bytes.
  EXPECT_TRUE(report.clean());
  const auto supplement = execution_trace_reader().supplement(text_stream(kOld, "e.json"), report);
  ASSERT_EQ(supplement->gradients.size(), 1U);
  EXPECT_EQ(supplement->gradients[0].record_id, 7U);
  EXPECT_EQ(supplement->gradients[0].elements, 30U);
}

TEST(ExecutionTraceReader, ItCannotBeImportedForLackOfTimes) {
  ImportReport report;
  EXPECT_EQ(input_error_of(
                [&] { execution_trace_reader().read({text_stream(kTiny, "e.json")}, {}, report); }),
            "e.json: an execution trace holds no times: import it together with the "
            "profiler's trace of the run (stepcast inspect shows what this one holds)");
}

TEST(ExecutionTraceReader, NodesMustBeAList) {
  ImportReport report;
  EXPECT_EQ(input_error_of([&] { inspect(text_stream(R"({"nodes": 3})", "e.json"), report); }),
            "e.json: /nodes: expected a list of nodes");
}

TEST(ExecutionTraceReader, ARecordedTraceOfThreeStepsAddsUp) {
  const auto path = recorded_data("execution_traces/resnet_2gpu_et.json.gz");
  STEPCAST_SKIP_WITHOUT(path);
  ImportReport report;
  const TraceSummary summary = inspect(file_stream(path), report);
  EXPECT_EQ(summary.facts[0].second, "14392");
  EXPECT_EQ(summary.facts[2].second, "483 of 76671096 elements");  // 3 x 161, 3 x 25,557,032
  EXPECT_TRUE(report.clean());
}

}  // namespace
}  // namespace stepcast
