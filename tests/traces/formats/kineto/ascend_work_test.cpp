// Traces of Ascend's PyTorch profiler: numbers as texts, device work without categories.

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/traces/formats/kineto/small_import.hpp"

namespace stepcast {
namespace {

using namespace small;

/// A step of 3 ms: an operator forward and one backward, a kernel of each, and an all-reduce that a
/// second process shows, too, with the tasks that it consists of.
std::string ascend_trace(const std::string& arrows) {
  return R"([
{"ph": "M", "name": "process_name", "pid": 9, "args": {"name": "Ascend Hardware"}},
{"ph": "X", "cat": "cpu_op", "name": "ProfilerStep#3", "pid": 1, "tid": 1, "ts": "1700000000000000.250", "dur": "3000.0", "args": {}},
{"ph": "X", "cat": "cpu_op", "name": "aten::linear", "pid": 1, "tid": 1, "ts": "1700000000000010.500", "dur": 20.0, "args": {"Sequence number": 1, "Input Dims": [["8", "64"], ["64", "64"]]}},
{"ph": "X", "cat": "cpu_op", "name": "AddmmBackward0", "pid": 1, "tid": 2, "ts": "1700000000000050.500", "dur": 20.0, "args": {"Sequence number": 1, "Fwd thread id": 1}},
{"ph": "X", "name": "MatMul", "pid": 9, "tid": 2, "ts": "1700000000000100.125", "dur": "400.0", "args": {"Task Type": "AI_CORE", "Stream Id": "2"}},
{"ph": "X", "name": "MatMulGrad", "pid": 9, "tid": 2, "ts": "1700000000000600.125", "dur": "700.0", "args": {"Task Type": "KERNEL_AICORE", "Stream Id": "2"}},
{"ph": "X", "name": "Notify_Wait", "pid": 9, "tid": 5, "ts": "1700000000001300.0", "dur": "900.0", "args": {"Task Type": "NOTIFY_WAIT", "Stream Id": "5"}},
{"ph": "X", "name": "hcom_allReduce__501_0_1", "pid": 9, "tid": 5, "ts": "1700000000001300.0", "dur": "900.0", "args": {"Task Type": "HCCL", "Stream Id": "5"}},
{"ph": "X", "name": "hcom_allReduce__501_0_1", "pid": 12, "tid": 3, "ts": "1700000000001300.0", "dur": "900.0", "args": {"connection_id": 7}})" +
         arrows + "\n]";
}

const char* const kArrows = R"(,
{"ph": "s", "cat": "async_npu", "name": "torch_to_npu", "id": "a", "pid": 1, "tid": 1, "ts": "1700000000000010.500"},
{"ph": "f", "cat": "async_npu", "name": "torch_to_npu", "id": "a", "pid": 9, "tid": 2, "ts": "1700000000000100.125"},
{"ph": "s", "cat": "async_npu", "name": "torch_to_npu", "id": "b", "pid": 1, "tid": 2, "ts": "1700000000000050.500"},
{"ph": "f", "cat": "async_npu", "name": "torch_to_npu", "id": "b", "pid": 9, "tid": 2, "ts": "1700000000000600.125"})";

const TraceSummary::Category* find_category(const TraceSummary& summary, const std::string& name) {
  const auto found = std::ranges::find(summary.categories, name, &TraceSummary::Category::name);
  return found == summary.categories.end() ? nullptr : &*found;
}

TEST(AscendWork, KernelsAndCollectivesHaveTheirTimes) {
  EXPECT_TRUE(kineto_reader().sniff(ascend_trace("")));
  ImportReport report;
  const TraceSummary summary = inspect_kineto(ascend_trace(""), report);
  EXPECT_EQ(summary.format, "Ascend profiler");
  ASSERT_EQ(summary.steps.size(), 1U);
  EXPECT_NEAR(summary.steps[0].device.value, 1.1e-3, kExactTime);  // 400 and 700 us.
  ASSERT_EQ(summary.collectives.size(), 1U);
  EXPECT_EQ(summary.collectives[0].kind, "all-reduce");
  EXPECT_EQ(summary.collectives[0].count, 1U);
  EXPECT_NEAR(summary.collectives[0].time.value, 900e-6, kExactTime);
  EXPECT_TRUE(report.skipped().empty());
}

TEST(AscendWork, ArrowsFromOperatorsAreLaunches) {
  ImportReport report;
  const TraceSummary summary = inspect_kineto(ascend_trace(kArrows), report);
  const auto* const forward = find_category(summary, "forward");
  const auto* const backward = find_category(summary, "backward");
  ASSERT_NE(forward, nullptr);
  ASSERT_NE(backward, nullptr);
  EXPECT_NEAR(forward->time.value, 400e-6, kExactTime);
  EXPECT_NEAR(backward->time.value, 700e-6, kExactTime);
}

TEST(AscendWork, WithoutArrowsItIsInspectedAlone) {
  EXPECT_TRUE(import_error_of(ascend_trace(""))
                  .starts_with("t.json: is a trace of Ascend's profiler without arrows"));
  EXPECT_NEAR(forward_time(import_small(ascend_trace(kArrows), {.drop_gaps = true})).value, 400e-6,
              kExactTime);
}

}  // namespace
}  // namespace stepcast
