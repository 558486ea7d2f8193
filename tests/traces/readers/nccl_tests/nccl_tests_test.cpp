#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "tests/support/input_error.hpp"
#include "traces/readers/benchmark_log.hpp"

namespace stepcast {
namespace {

using namespace literals;

const std::string kHead = R"(# nThread 1 nGpus 1 minBytes 1024 maxBytes 4194304
# Using devices
#   Rank  0 Pid 11 on  node-a device  0 [0x3d] Some GPU
#   Rank  1 Pid 12 on  node-a device  1 [0x3e] Some GPU
#   Rank  2 Pid 13 on  node-b device  0 [0x3d] Some GPU
#   Rank  3 Pid 14 on  node-b device  1 [0x3e] Some GPU
#                                     out-of-place                       in-place
#       size  count  type  redop   time   algbw   busbw  error     time   algbw   busbw  error
)";
const std::string kTail = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 2\n";
const std::string kRow1 = "1024 256 float sum 20.0 0.05 0.08 1e-07 18.0 0.06 0.09 1e-07\n";
const std::string kRow2 =
    "4194304 1048576 float sum 1000.0 4.19 6.29 1e-07 1010.0 4.15 6.23 1e-07\n";

BenchmarkLog parse(const std::string& text, ImportReport& report,
                   const std::string& origin = "run.log", const BenchmarkHints& hints = {}) {
  return parse_benchmark_log(text, origin, hints, report);
}

TEST(NcclTests, ReadsKindRanksNodesAndTheShorterTime) {
  ImportReport report;
  const BenchmarkLog log = parse(kHead + kRow1 + kRow2 + kTail, report);
  ASSERT_TRUE(log.curve);
  EXPECT_EQ(log.curve->kind, CollectiveKind::AllReduce);  // 6.29 / 4.19 is 2 * 3 / 4.
  EXPECT_EQ(log.curve->ranks, 4U);
  EXPECT_EQ(log.curve->nodes, 2U);
  EXPECT_EQ(log.device, "Some GPU");
  ASSERT_EQ(log.curve->points.size(), 2U);
  EXPECT_DOUBLE_EQ(log.curve->points[0].time.value, 18e-6);
  EXPECT_DOUBLE_EQ(log.curve->points[1].time.value, 1e-3);
  EXPECT_TRUE(report.clean());
}

TEST(NcclTests, TellsReduceScatterByItsBandwidths) {
  ImportReport report;
  const std::string row = "4194304 1048576 float sum 1000.0 4.19 3.14 0 1000.0 4.19 3.14 0\n";
  EXPECT_EQ(parse(kHead + row + kTail, report).curve->kind, CollectiveKind::ReduceScatter);
}

TEST(NcclTests, TellsBroadcastByItsRootAndReduceByBoth) {
  ImportReport report;
  const std::string tail = " 1000.0 4.19 4.19 0 1000.0 4.19 4.19 0\n";
  EXPECT_EQ(parse(kHead + "4194304 1048576 float 0" + tail + kTail, report).curve->kind,
            CollectiveKind::Broadcast);
  EXPECT_EQ(parse(kHead + "4194304 1048576 float sum 0" + tail + kTail, report).curve->kind,
            CollectiveKind::Reduce);
}

TEST(NcclTests, NewVersionsPrintNoneAndMinusOne) {
  ImportReport report;
  const std::string row = "4194304 1048576 float none 0 1000.0 4.19 4.19 0 1000.0 4.19 4.19 0\n";
  EXPECT_EQ(parse(kHead + row + kTail, report).curve->kind, CollectiveKind::Broadcast);
  const std::string sum = "4194304 1048576 float sum -1 1000.0 4.19 6.29 0 1000.0 4.19 6.29 N/A\n";
  EXPECT_EQ(parse(kHead + sum + kTail, report).curve->kind, CollectiveKind::AllReduce);
}

TEST(NcclTests, AllGatherIsKnownByTheProgramsOrTheFilesName) {
  ImportReport report;
  const std::string row = "4194304 1048576 float 1000.0 4.19 3.14 0 1000.0 4.19 3.14 0\n";
  EXPECT_EQ(parse(kHead + row + kTail, report, "all_gather.log").curve->kind,
            CollectiveKind::AllGather);
  EXPECT_EQ(parse("# starting: alltoall_perf\n" + kHead + row + kTail, report).curve->kind,
            CollectiveKind::AllToAll);
  const std::string error = input_error_of([&] { parse(kHead + row + kTail, report); });
  EXPECT_EQ(
      error,
      "run.log: neither the log nor the file's name says which collective it is; give --kind");
}

TEST(NcclTests, CountsWhatItSkipsAndDoubts) {
  ImportReport report;
  const std::string apart = "2048 512 float sum 30.0 0.05 0.08 1e-07 20.0 0.06 0.09 1e-07\n";
  const std::string wrong = "4096 1024 float sum 30.0 0.05 0.08 7e+00 20.0 0.06 0.09 1e-07\n";
  const std::string cut = "8192 2048 float sum 30.0 0.0";
  parse(kHead + "0 0 float sum 5 0 0 0 5 0 0 0\n" + kRow1 + apart + wrong + kRow2 + cut, report);
  EXPECT_EQ(report.skipped().at("row of size 0").count, 1U);
  EXPECT_EQ(report.skipped().at("row with wrong results").first, "line 12");
  EXPECT_EQ(report.skipped().at("line that begins like a row and is none").count, 1U);
  EXPECT_EQ(report.doubtful().size(), 2U);  // Times apart, and no last line.
}

TEST(NcclTests, RefusesALogWithoutRowsOrRanks) {
  ImportReport report;
  EXPECT_EQ(input_error_of([&] { parse(kHead + kTail, report); }),
            "run.log: expected rows of nccl-tests, found none");
  const std::string no_ranks = kHead.substr(kHead.find("#                "));
  EXPECT_EQ(input_error_of([&] {
              parse(no_ranks + kRow2 + kTail, report, "run.log",
                    {.kind = CollectiveKind::AllReduce});
            }),
            "run.log: does not say on how many nodes and GPUs it ran; give --layout NODESxGPUS");
}

TEST(NcclTests, ReadsJson) {
  ImportReport report;
  const std::string text = R"({"version": "2.16", "config": {"devices": [
      {"rank": 0, "hostname": "a", "device_name": "Some GPU"},
      {"rank": 1, "hostname": "b", "device_name": "Some GPU"}]},
    "results": [
      {"size": 0, "redop": "sum", "root": -1, "out_of_place": {"time": 1}, "in_place": {"time": 1}},
      {"size": 1048576, "redop": "sum", "root": -1,
       "out_of_place": {"time": 200.5, "alg_bw": 5.2, "bus_bw": 5.2, "nwrong": 0},
       "in_place": {"time": 210, "alg_bw": 5.0, "bus_bw": 5.0, "nwrong": 0}}]})";
  const BenchmarkLog log = parse(text, report);
  EXPECT_EQ(log.curve->kind, CollectiveKind::AllReduce);  // 2 (n-1)/n is 1 on two ranks.
  EXPECT_EQ(log.curve->ranks, 2U);
  EXPECT_EQ(log.curve->nodes, 2U);
  EXPECT_DOUBLE_EQ(log.curve->points.at(0).time.value, 200.5e-6);
  EXPECT_EQ(report.skipped().at("row of size 0").count, 1U);
}

TEST(NcclTests, RefusesTruncatedJson) {
  ImportReport report;
  const std::string error =
      input_error_of([&] { parse(R"({"results": [{"out_of_place": {"ti)", report); });
  EXPECT_TRUE(error.starts_with("run.log: line 1")) << error;
}

TEST(BenchmarkLog, NamesTheFormatsItKnows) {
  ImportReport report;
  EXPECT_EQ(input_error_of([&] { parse("hello\n", report); }),
            "run.log: expected the output of a network benchmark (nccl-tests, nccl-tests JSON, "
            "OSU, ib_write_bw, iperf3 JSON, iperf3), found another content");
}

}  // namespace
}  // namespace stepcast
