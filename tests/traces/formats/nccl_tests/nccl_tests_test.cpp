#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "tests/support/input_error.hpp"
#include "traces/formats/benchmark_log.hpp"

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
  EXPECT_EQ(error,
            "run.log: neither the log nor the file's name says which collective it is; give --kind "
            "(all-gather or all-to-all)");
}

TEST(NcclTests, CountsWhatItSkipsAndDoubts) {
  ImportReport report;
  const std::string apart = "2048 512 float sum 30.0 0.07 0.10 1e-07 20.0 0.10 0.15 1e-07\n";
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
            "run.log: expected at least one measured size, found none");
  const std::string no_ranks = kHead.substr(kHead.find("#                "));
  EXPECT_EQ(input_error_of([&] {
              parse(no_ranks + kRow2 + kTail, report, "run.log",
                    {.kind = CollectiveKind::AllReduce});
            }),
            "run.log: does not say on how many nodes and GPUs it ran; give --layout NODESxGPUS");
}

TEST(NcclTests, TheLogsOwnWordWinsAndAnotherIsDoubted) {
  ImportReport report;
  const BenchmarkHints hints{.kind = CollectiveKind::Broadcast, .nodes = 1, .gpus_per_node = 8};
  const BenchmarkLog log = parse(kHead + kRow1 + kRow2 + kTail, report, "reduce.log", hints);
  EXPECT_EQ(log.curve->kind, CollectiveKind::AllReduce);
  EXPECT_EQ(log.curve->nodes, 2U);
  EXPECT_EQ(log.curve->ranks, 4U);
  EXPECT_EQ(report.doubtful().size(), 2U);
  EXPECT_TRUE(report.doubtful().contains(
      "--kind broadcast for a log that says all-reduce, which was taken"));
  EXPECT_TRUE(report.doubtful().contains("layout 1x8 for a log that says 2x2, which was taken"));
}

TEST(NcclTests, AKindThatTheColumnsExcludeIsRefused) {
  ImportReport report;
  const std::string row = "4194304 1048576 float 1000.0 4.19 3.14 0 1000.0 4.19 3.14 0\n";
  EXPECT_EQ(input_error_of([&] {
              parse(kHead + row + kTail, report, "run.log", {.kind = CollectiveKind::AllReduce});
            }),
            "run.log: expected --kind all-gather or all-to-all by the log's columns, found "
            "all-reduce");
  // A file's name is no evidence against the columns.
  EXPECT_EQ(input_error_of([&] { parse(kHead + row + kTail, report, "all_reduce.log"); }),
            "all_reduce.log: neither the log nor the file's name says which collective it is; give "
            "--kind (all-gather or all-to-all)");
}

TEST(NcclTests, ProgramsThatAreNoCollectiveAreRefused) {
  ImportReport report;
  EXPECT_EQ(
      input_error_of([&] { parse("# ./build/sendrecv_perf -b 8\n" + kHead + kRow2, report); }),
      "run.log: line 1: expected a collective such as all_reduce_perf, found sendrecv_perf");
  // The folder is not the program.
  const std::string row = "4194304 1048576 float 1000.0 4.19 3.14 0 1000.0 4.19 3.14 0\n";
  EXPECT_EQ(parse("# /allreduce/all_gather_perf -b 8\n" + kHead + row + kTail, report).curve->kind,
            CollectiveKind::AllGather);
}

TEST(NcclTests, TwoRunsInOneFileAreRefused) {
  // 8 lines of head, a row and 2 of tail come before the second head, whose third names rank 0.
  ImportReport report;
  EXPECT_EQ(input_error_of([&] { parse(kHead + kRow2 + kTail + kHead + kRow2 + kTail, report); }),
            "run.log: line 14: expected one run of nccl-tests, found rank 0 again; split the file");
}

TEST(NcclTests, UnevenNodesAreRefused) {
  ImportReport report;
  std::string head = kHead;
  head.replace(head.find("node-b device  0"), 6, "node-a");
  head.replace(head.find("node-a device  0", head.find("Rank  2")) + 14, 2, " 2");
  EXPECT_EQ(input_error_of([&] { parse(head + kRow2 + kTail, report); }),
            "run.log: expected equally many ranks on each node, found 3 of 4 on node-a, one of 2 "
            "nodes");
}

TEST(NcclTests, NodesOfOneNameAreAskedFor) {
  // Both nodes are called the same: two ranks use device 0 of it.
  ImportReport report;
  std::string head = kHead;
  for (std::size_t at = head.find("node-b"); at != std::string::npos; at = head.find("node-b"))
    head.replace(at, 6, "node-a");
  EXPECT_EQ(input_error_of([&] { parse(head + kRow2 + kTail, report); }),
            "run.log: does not say on how many nodes and GPUs it ran; give --layout NODESxGPUS");
  EXPECT_EQ(input_error_of([&] {
              parse(head + kRow2 + kTail, report, "run.log", {.nodes = 2, .gpus_per_node = 4});
            }),
            "run.log: expected a layout of the log's 4 ranks, found 2x4");
  const BenchmarkLog log =
      parse(head + kRow2 + kTail, report, "run.log", {.nodes = 2, .gpus_per_node = 2});
  EXPECT_EQ(log.curve->nodes, 2U);
}

TEST(NcclTests, RowsThatCannotBeAreSkippedByName) {
  // 4194304 bytes in 1000 us are 4.19 GB/s: with 1 (a millisecond) the row contradicts itself.
  ImportReport report;
  const std::string milliseconds = "2097152 524288 float sum 1.0 2.10 3.15 0 1.0 2.10 3.15 0\n";
  const std::string negative = "1048576 262144 float sum -5.0 2.10 3.15 0 400.0 2.62 3.9 0\n";
  const std::string zero = "524288 131072 float sum 0.0 0.00 0.00 0 0.0 0.00 0.00 0\n";
  const BenchmarkLog log = parse(kHead + milliseconds + negative + zero + kRow2 + kTail, report);
  EXPECT_EQ(log.curve->points.size(), 1U);
  EXPECT_EQ(report.skipped().at("row whose time and bandwidth contradict each other").first,
            "line 9");
  EXPECT_EQ(report.skipped().at("row with a negative number").first, "line 10");
  EXPECT_EQ(report.skipped().at("row whose size or time no network can have").first, "line 11");
}

TEST(NcclTests, ZerosInARowAndWrongResultsOfARunAreNoted) {
  ImportReport report;
  // 4 MiB in 400 us are 10.5 GB/s, not 0.
  const std::string no_bandwidth =
      "4194304 1048576 float sum 400.0 0.00 15.7 0 400.0 10.49 15.7 0\n";
  const std::string no_time = "2097152 524288 float sum 0.0 0.00 0.00 0 200.0 10.49 15.7 0\n";
  const BenchmarkLog log = parse(kHead + no_bandwidth + no_time + kRow2 +
                                     "# Out of bounds values : 5 FAILED\n# Avg bus bandwidth : 2\n",
                                 report);
  EXPECT_EQ(log.curve->points.size(), 2U);
  EXPECT_EQ(report.skipped().at("row whose time and bandwidth contradict each other").count, 1U);
  EXPECT_EQ(report.doubtful().at("row with one time of zero; the other was taken").count, 1U);
  EXPECT_EQ(
      report.doubtful().at("run with wrong results by its count of out of bounds values").count,
      1U);
}

TEST(NcclTests, WithNothingLeftTheReasonsAreNamed) {
  ImportReport report;
  const std::string negative = "1048576 262144 float sum -5.0 2.10 3.15 0 400.0 2.62 3.9 0\n";
  EXPECT_EQ(input_error_of([&] { parse(kHead + negative + kTail, report); }),
            "run.log: expected at least one measured size, found none (1 skipped: row with a "
            "negative number (first at line 9))");
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

TEST(NcclTests, TheLogsOwnWordWinsInJsonToo) {
  ImportReport report;
  const std::string text = R"({"config": {"devices": [
      {"rank": 0, "hostname": "a"}, {"rank": 1, "hostname": "b"}]},
    "results": [
      {"size": 1024, "redop": "sum", "root": -1,
       "out_of_place": {"time": 20, "alg_bw": 0.05, "bus_bw": 0.05}},
      {"size": 1048576, "redop": "sum", "root": -1,
       "out_of_place": {"time": 200.5, "alg_bw": 5.2, "bus_bw": 5.2}},
      {"size": 2097152, "redop": "sum", "root": -1,
       "out_of_place": {"time": 0.4, "alg_bw": 5.2, "bus_bw": 5.2}}]})";
  const BenchmarkLog log = parse(text, report, "run.log", {.kind = CollectiveKind::Broadcast});
  EXPECT_EQ(log.curve->kind, CollectiveKind::AllReduce);
  EXPECT_EQ(log.curve->points.size(), 2U);
  EXPECT_EQ(report.doubtful().size(), 1U);
  EXPECT_EQ(report.skipped().at("row whose time and bandwidth contradict each other").first,
            "/results/2");
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
