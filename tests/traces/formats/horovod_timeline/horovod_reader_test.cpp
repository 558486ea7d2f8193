#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "traces/formats/recognition/recognised_file.hpp"

namespace stepcast {
namespace {

/// Two tensors over two steps: fc.weight ready at 100 and 1100, conv.weight 40 and 60 later. The
/// list is left open, as Horovod leaves it.
constexpr const char* kTiny = R"([
{"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "fc.weight"}},
{"name": "process_name", "ph": "M", "pid": 2, "args": {"name": "conv.weight"}},
{"ph": "B", "name": "NEGOTIATE_ALLREDUCE", "ts": 100, "pid": 1},
{"ph": "B", "name": "NEGOTIATE_ALLREDUCE", "ts": 140, "pid": 2},
{"ph": "E", "ts": 150, "pid": 1}, {"ph": "E", "ts": 150, "pid": 2},
{"ph": "B", "name": "ALLREDUCE", "ts": 160, "pid": 1},
{"ph": "B", "name": "NCCL_ALLREDUCE", "ts": 170, "pid": 1}, {"ph": "E", "ts": 180, "pid": 1},
{"ph": "E", "ts": 190, "pid": 1, "args": {"dtype": "float32", "shape": "[10, 7]"}},
{"ph": "B", "name": "ALLREDUCE", "ts": 160, "pid": 2},
{"ph": "E", "ts": 190, "pid": 2, "args": {"dtype": "float32", "shape": "[5]"}},
{"ph": "B", "name": "NEGOTIATE_ALLREDUCE", "ts": 1100, "pid": 1},
{"ph": "B", "name": "NEGOTIATE_ALLREDUCE", "ts": 1160, "pid": 2},
{"ph": "E", "ts": 1170, "pid": 1}, {"ph": "E", "ts": 1170, "pid": 2},
)";

std::string error_of(const std::string& text) {
  ImportReport report;
  return input_error_of(
      [&] { horovod_timeline_reader().read({text_stream(text, "h.json")}, {.batch = 8}, report); });
}

TEST(HorovodReader, TensorsBecomeReadyInOrderWithTheirMeanGaps) {
  ImportReport report;
  const Workload workload =
      horovod_timeline_reader().read({text_stream(kTiny, "h.json")}, {.batch = 8}, report);
  ASSERT_EQ(workload.layers.size(), 2U);
  EXPECT_EQ(workload.layers[0].name, "conv");
  EXPECT_NEAR(workload.layers[0].backward.value, 50e-6, 1e-12);  // (40 + 60) / 2
  EXPECT_EQ(workload.layers[0].parameters[0].elements, 5U);
  EXPECT_EQ(workload.layers[1].parameters[0].elements, 70U);
  EXPECT_EQ(report.doubtful().count("list of events without an end"), 1U);
}

TEST(HorovodReader, EventsWithCategoriesAreOfAnotherProgram) {
  EXPECT_TRUE(horovod_timeline_reader().sniff(kTiny));
  EXPECT_FALSE(
      horovod_timeline_reader().sniff(R"([{"ph": "X", "cat": "cpu_op", "name": "a", "ts": 1}])"));
}

TEST(HorovodReader, InspectSumsActivities) {
  ImportReport report;
  const TraceSummary summary =
      horovod_timeline_reader().inspect({text_stream(kTiny, "h.json")}, {}, report);
  ASSERT_EQ(summary.categories.size(), 3U);
  EXPECT_EQ(summary.categories[1].name, "NCCL_ALLREDUCE");
  EXPECT_NEAR(summary.categories[1].time.value, 10e-6, 1e-12);
  EXPECT_EQ(summary.facts[2].second, "2");  // complete steps
}

TEST(HorovodReader, BadInputIsNamedOrCounted) {
  EXPECT_EQ(error_of("[]"), "h.json: expected a step in which every tensor is negotiated");
  EXPECT_EQ(error_of(R"([{"ph": "B", "name": "NEGOTIATE_ALLREDUCE", "ts": 1, "pid": 4}])"),
            "h.json: 4: the timeline holds no shape of this tensor");
  ImportReport report;
  // Any program's list of events without categories may be taken for one: it is no table of zeros.
  const std::string error = input_error_of([&] {
    horovod_timeline_reader().inspect({text_stream(R"([{"ph": "E", "ts": 1, "pid": 4}])", "h")}, {},
                                      report);
  });
  EXPECT_TRUE(error.starts_with("h: expected tensors with NEGOTIATE_ events")) << error;
  EXPECT_EQ(report.skipped().at("end that fits no begin").count, 1U);
}

}  // namespace
}  // namespace stepcast
