// Logs as launchers and versions of nccl-tests leave them.

#include <functional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/collective/collective.hpp"
#include "tests/support/input_error.hpp"
#include "traces/formats/benchmark_log.hpp"
#include "traces/formats/import.hpp"

namespace stepcast {
namespace {

const std::string kHeading =
    "#                          out-of-place                       in-place\n"
    "#       size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  "
    "#wrong\n"
    "#        (B)  (elements)  (us)  (GB/s)  (GB/s)  (us)  (GB/s)  (GB/s)\n";
const std::string kTail = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 2\n";

using RankLine = std::function<std::string(std::uint32_t)>;

/// Rank lines of nodes of 8 tasks that see one GPU each, as cgroups have it.
std::string one_gpu_a_task(std::uint32_t rank) {
  return fmt::format(
      "#  Rank {:2} Group  0 Pid {} on  node{} device  0 [0000:{:02x}:00] NVIDIA H100\n", rank,
      4000 + rank, rank / 8, 16 + rank % 8);
}

std::string ranks(std::uint32_t count, const RankLine& line) {
  std::string text = "# nThread 1 nGpus 1 minBytes 1024 maxBytes 8589934592 step: 2(factor)\n";
  for (std::uint32_t rank = 0; rank < count; ++rank)
    text += line(rank);
  return text;
}

/// A time and its bandwidths as nccl-tests prints them, and `more` columns.
std::string block(CollectiveKind kind, std::uint32_t count, double size, double microseconds,
                  const std::string& more = "") {
  const double algorithm = size / microseconds * 1e-3;
  return fmt::format("  {:7.2f}  {:6.2f}  {:6.2f}       0{}", microseconds, algorithm,
                     algorithm * bus_factor(kind, count), more);
}

/// Sizes from 1 KiB to 1 GiB at 100 GB/s behind 20 us.
std::string rows(CollectiveKind kind, std::uint32_t count, const std::string& redop = "sum",
                 const std::string& more = "", const std::string& end = "") {
  std::string text;
  for (double size = 1024; size < 2e9; size *= 1024) {
    const double time = 20 + size * 1e-5;
    text += fmt::format("{:12}  {:12}  float  {:>6}  -1{}{}{}\n", size, size / 4, redop,
                        block(kind, count, size, time, more),
                        block(kind, count, size, time + 1, more), end);
  }
  return text;
}

std::string labelled(const std::string& text, const std::function<std::string(int)>& label) {
  std::string result;
  int line = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin) + 1;
    result += label(++line) + text.substr(begin, end - begin);
    begin = end;
  }
  return result;
}

CollectiveCurve curve_of(const std::string& text, ImportReport& report,
                         const BenchmarkHints& hints = {},
                         const std::string& origin = "all_reduce.log") {
  return *parse_benchmark_log(text, origin, hints, report).curve;
}

void expect_16_ranks(const std::string& text) {
  ImportReport report;
  const CollectiveCurve curve = curve_of(text, report);
  EXPECT_EQ(curve.kind, CollectiveKind::AllReduce);
  EXPECT_EQ(curve.ranks, 16U);
  EXPECT_EQ(curve.nodes, 2U);
  ASSERT_EQ(curve.points.size(), 3U);
  EXPECT_NEAR(curve.points[1].time.value, 30.49e-6, 1e-9);  // 20 us + 1 MiB at 100 GB/s, 2 digits.
  EXPECT_TRUE(report.clean()) << describe(report).front();
}

std::string log_of_16() {
  return ranks(16, one_gpu_a_task) + kHeading + rows(CollectiveKind::AllReduce, 16) + kTail;
}

TEST(LaunchedLogs, EveryRankOnDevice0IsTwoNodesByTheirNamesAndBusses) {
  expect_16_ranks(log_of_16());
}

/// Rank lines of one node of old releases, which print no more than the bus of a GPU.
std::string device_0_of_one_node(std::uint32_t rank) {
  return fmt::format("#  Rank {:2} Group  0 Pid {} on  node0 device  0 [0x01] NVIDIA GH200\n", rank,
                     4000 + rank);
}

std::string log_of(std::uint32_t count, const RankLine& line) {
  return ranks(count, line) + kHeading + rows(CollectiveKind::AllReduce, count) + kTail;
}

TEST(LaunchedLogs, EveryProcessOfTheOnlyHostOnDevice0IsOneNode) {
  ImportReport report;
  const CollectiveCurve curve = curve_of(log_of(4, device_0_of_one_node), report);
  EXPECT_EQ(curve.ranks, 4U);
  EXPECT_EQ(curve.nodes, 1U);
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.inferred().size(), 1U);
}

TEST(LaunchedLogs, NodesOfOneNameAreNotOneNode) {
  // More ranks than a node has GPUs, or a process twice: several nodes have the name.
  const auto twice = [](std::uint32_t rank) {
    std::string line = device_0_of_one_node(rank);
    return line.replace(line.find("Pid 400"), 8, "Pid 4000");
  };
  for (const std::string& log : {log_of(32, device_0_of_one_node), log_of(4, twice)}) {
    ImportReport report;
    EXPECT_EQ(input_error_of([&] { curve_of(log, report); }),
              "all_reduce.log: does not say on how many nodes and GPUs it ran; give --layout "
              "NODESxGPUS");
  }
}

/// The log as a page shows it after it was pasted: the "#" of a line makes it a heading.
std::string without_hashes(std::string text) {
  std::erase(text, '#');
  return text;
}

TEST(LaunchedLogs, LogsPastedIntoAMessageAreReadWithoutTheirHashes) {
  expect_16_ranks(without_hashes(log_of_16()));
  expect_16_ranks(labelled(without_hashes(log_of_16()), [](int) { return "    "; }));
  expect_16_ranks(labelled(without_hashes(log_of_16()), [](int) { return "> "; }));
  expect_16_ranks(labelled(without_hashes(log_of_16()), [](int) { return "12: "; }));
  // Only the "#" that begins a line is lost.
  std::string text = log_of_16();
  for (std::size_t at = text.find("\n#"); at != std::string::npos; at = text.find("\n#"))
    text.erase(at + 1, 1);
  expect_16_ranks(text.substr(1));
}

TEST(LaunchedLogs, QuotedIndentedAndFencedLogsAreRead) {
  const std::string log = log_of_16();
  expect_16_ranks("The output is:\n```\n" + log + "```\nWhat is wrong?\n");
  expect_16_ranks("```" + log + "```");
  for (const char* mark : {"    ", "> ", ">", ">> ", "> > ", "\t", ">     ", "\\"})
    expect_16_ranks(labelled(log, [&](int) { return mark; }));
  // A message may quote a part of the lines.
  expect_16_ranks(labelled(log, [](int line) { return line % 2 == 0 ? "> " : ""; }));
}

TEST(LaunchedLogs, LabelsOfSrunAreNoPartOfTheTable) {
  expect_16_ranks(labelled(log_of_16(), [](int) { return " 0: "; }));
}

TEST(LaunchedLogs, LabelsOfMpirunAreNoPartOfTheTable) {
  expect_16_ranks(labelled(log_of_16(), [](int) { return "[1,0]<stdout>:"; }));
  expect_16_ranks(labelled(log_of_16(), [](int) { return "[prterun-host-77@1,0]<stdout>: "; }));
}

TEST(LaunchedLogs, TimesBeforeEveryLineAreNoPartOfTheTable) {
  expect_16_ranks(labelled(
      log_of_16(), [](int line) { return fmt::format("2026-01-02T03:04:{:02}.5Z ", line); }));
}

TEST(LaunchedLogs, LinesOfOtherTasksAmongThoseOfRank0AreIgnored) {
  std::string text = labelled(log_of_16(), [](int) { return " 0: "; });
  text.insert(0, "12: node1:77:77 [0] NCCL INFO Bootstrap\n3: loading modules\n");
  expect_16_ranks(text);
}

TEST(LaunchedLogs, AHundredKilobytesBeforeTheTableDoNotHideIt) {
  std::string text;
  while (text.size() < 100000)
    text += "node0:4000:4000 [0] NCCL INFO Channel 00 : 0[0] -> 1[1] via P2P/CUMEM\n";
  expect_16_ranks(text + log_of_16());
}

TEST(LaunchedLogs, ABuildThatNamesAllProgramsBeforeTheRunNamesNone) {
  expect_16_ranks("Linking ../build/sendrecv_perf\nLinking ../build/all_gather_perf\n" +
                  log_of_16());
  // What says that it starts is what ran.
  ImportReport report;
  const std::string gather = "Linking ../build/all_reduce_perf\n" + ranks(16, one_gpu_a_task) +
                             "# Collective test starting: all_gather_perf\n" + kHeading +
                             rows(CollectiveKind::AllGather, 16, "none") + kTail;
  EXPECT_EQ(curve_of(gather, report, {}, "run.log").kind, CollectiveKind::AllGather);
}

TEST(LaunchedLogs, ColumnsOnSingleIterationsAreReadPast) {
  // nccl-tests 2.19: i_min, i_max, i_p99 and i_cv% behind each place, and the time of day.
  const std::string heading =
      "#       out-of-place (+ per-iteration)         in-place (+ per-iteration)\n"
      "#  size count type redop root time algbw busbw #wrong i_min i_max i_p99 i_cv% "
      "time algbw busbw #wrong i_min i_max i_p99 i_cv% timestamp\n";
  const std::string row = rows(CollectiveKind::AllReduce, 16, "sum", "  19.1  40.9  33.3  12.50",
                               "  2026-01-02 03:04:05");
  expect_16_ranks(ranks(16, one_gpu_a_task) + heading + row + kTail);
}

TEST(LaunchedLogs, ManyRanksAreCounted) {
  for (const std::uint32_t count : {512U, 1024U, 2048U}) {
    ImportReport report;
    const CollectiveCurve curve = curve_of(
        ranks(count, one_gpu_a_task) + kHeading + rows(CollectiveKind::AllReduce, count) + kTail,
        report, {}, "run.log");
    EXPECT_EQ(curve.kind, CollectiveKind::AllReduce);
    EXPECT_EQ(curve.ranks, count);
    EXPECT_EQ(curve.nodes, count / 8);
    EXPECT_TRUE(report.clean());
  }
}

TEST(LaunchedLogs, BandwidthsTellTheRanksWhereNoneIsListed) {
  for (const CollectiveKind kind :
       {CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::ReduceScatter})
    for (const std::uint32_t count : {2U, 6U, 8U, 24U, 40U}) {
      ImportReport report;
      const std::string redop = kind == CollectiveKind::AllGather ? "none" : "sum";
      const std::string text = kHeading + rows(kind, count, redop) + kTail;
      const CollectiveCurve curve =
          curve_of(text, report, {.kind = kind, .nodes = 1, .gpus_per_node = count}, "run.log");
      EXPECT_EQ(curve.ranks, count);
      const std::string error = input_error_of(
          [&] { curve_of(text, report, {.kind = kind, .nodes = 1, .gpus_per_node = count + 1}); });
      EXPECT_EQ(error, fmt::format("all_reduce.log: expected a layout of the log's {} ranks, found "
                                   "1x{}",
                                   count, count + 1));
    }
}

TEST(LaunchedLogs, OneProcessOfAllRanksIsOneNode) {
  ImportReport report;
  const std::string text =
      "# nThread 1 nGpus 8 minBytes 8\n" + kHeading + rows(CollectiveKind::AllReduce, 8) + kTail;
  const CollectiveCurve curve = curve_of(text, report);
  EXPECT_EQ(curve.ranks, 8U);
  EXPECT_EQ(curve.nodes, 1U);
}

TEST(LaunchedLogs, MissingRankLinesAreCompletedByTheBandwidths) {
  ImportReport report;
  const auto with_gaps = [](std::uint32_t rank) {
    return rank == 9 || rank == 12 ? std::string() : one_gpu_a_task(rank);
  };
  const CollectiveCurve curve = curve_of(
      ranks(16, with_gaps) + kHeading + rows(CollectiveKind::AllReduce, 16) + kTail, report);
  EXPECT_EQ(curve.ranks, 16U);
  EXPECT_EQ(curve.nodes, 2U);
  EXPECT_EQ(report.doubtful().size(), 1U);
}

TEST(LaunchedLogs, MoreRankLinesThanTheBandwidthsAreOfAreRefused) {
  ImportReport report;
  const std::string text =
      ranks(16, one_gpu_a_task) + kHeading + rows(CollectiveKind::AllReduce, 8) + kTail;
  EXPECT_EQ(input_error_of([&] { curve_of(text, report); }),
            "all_reduce.log: lists 16 ranks, but its bus and algorithm bandwidths are those of 8");
}

TEST(LaunchedLogs, TwoRunsWithoutRankLinesAreTwoByTheirBandwidths) {
  ImportReport report;
  const std::string text =
      kHeading + rows(CollectiveKind::AllReduce, 8) + rows(CollectiveKind::AllReduce, 16) + kTail;
  EXPECT_TRUE(input_error_of([&] {
                curve_of(text, report);
              }).starts_with("all_reduce.log: line 8: expected one run of nccl-tests"));
}

TEST(LaunchedLogs, GroupsThatRanAtOnceAreOneOfThem) {
  // NCCL_TESTS_SPLIT: 16 ranks as two communicators of 8, one of each on every second rank.
  ImportReport report;
  const auto split = [](std::uint32_t rank) {
    std::string line = one_gpu_a_task(rank);
    return line.replace(line.find("Group  0"), 8, fmt::format("Group  {}", rank % 2));
  };
  const CollectiveCurve curve =
      curve_of(ranks(16, split) + kHeading + rows(CollectiveKind::AllReduce, 8) + kTail, report);
  EXPECT_EQ(curve.ranks, 8U);
  EXPECT_EQ(curve.nodes, 2U);
  EXPECT_EQ(report.doubtful().count("2 groups that ran at once: their times share links"), 1U);
}

TEST(LaunchedLogs, JsonListsTheFirstRankOfAProcessAndWritesRootsAsText) {
  ImportReport report;
  const std::string text = R"({"config": {"nthreads": 1, "ngpus": 8, "devices": [
      {"rank": 0, "group": 0, "hostname": "a", "device": 0, "device_hex": "0000:04:00",
       "device_info": "NVIDIA H100"},
      {"rank": 8, "group": 0, "hostname": "b", "device": 0, "device_hex": "0000:04:00",
       "device_info": "NVIDIA H100"}]},
    "results": [{"size": 1048576, "redop": "sum", "root": "    -1",
       "out_of_place": {"cpu_time": 100, "alg_bw": 10.48576, "bus_bw": 19.6608, "nwrong": null},
       "in_place": {"cpu_time": 101, "alg_bw": 10.381941, "bus_bw": 19.466139, "nwrong": null}}]})";
  const BenchmarkLog log = parse_benchmark_log(text, "run.log", {}, report);
  EXPECT_EQ(log.device, "NVIDIA H100");
  EXPECT_EQ(log.curve->kind, CollectiveKind::AllReduce);  // 19.66 / 10.49 is 2 * 15 / 16.
  EXPECT_EQ(log.curve->ranks, 16U);
  EXPECT_EQ(log.curve->nodes, 2U);
}

}  // namespace
}  // namespace stepcast
