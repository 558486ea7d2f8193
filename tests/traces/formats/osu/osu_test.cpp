#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "traces/formats/benchmark_log.hpp"

namespace stepcast {
namespace {

using namespace literals;

BenchmarkLog parse(const std::string& text, const BenchmarkHints& hints = {}) {
  ImportReport report;
  return parse_benchmark_log(text, "osu.log", hints, report);
}

TEST(Osu, ReadsACollective) {
  const BenchmarkLog log = parse(
      "\n# OSU MPI-CUDA Allreduce Latency Test v5.7\n# Size       Avg Latency(us)\n4   29.76\n8 "
      "30.5 1 2 100\n",
      {.nodes = 2, .gpus_per_node = 4});
  ASSERT_TRUE(log.curve);
  EXPECT_EQ(log.curve->kind, CollectiveKind::AllReduce);
  EXPECT_EQ(log.curve->ranks, 8U);
  EXPECT_DOUBLE_EQ(log.curve->points.at(1).time.value, 30.5e-6);
}

TEST(Osu, AnAllGathersSizeBecomesTheFullBuffer) {
  // What one of 8 ranks sends is an eighth of what nccl-tests calls the size.
  const BenchmarkLog log =
      parse("# OSU MPI Allgather Latency Test\n1024 10.0\n", {.nodes = 2, .gpus_per_node = 4});
  EXPECT_EQ(log.curve->points.at(0).size, 8.0_KiB);
}

TEST(Osu, PointToPointTestsAreLinks) {
  // An empty message does not touch the GPUs' memory: the next one counts.
  EXPECT_EQ(parse("# OSU MPI-CUDA Latency Test\n0 1\n1 2\n").link.latency, Seconds{2e-6});
  EXPECT_EQ(parse("# OSU MPI Bandwidth Test\n1 2.5\n4096 10000\n8192 9000\n").link.bandwidth,
            BytesPerSecond{1e10});
}

TEST(Osu, OtherTestsAreRefused) {
  for (const char* test : {"MPI Gather Latency", "MPI Barrier Latency",
                           "MPI-CUDA Bi-Directional "
                           "Bandwidth"}) {
    const std::string title = std::string("# OSU ") + test + " Test v5.7";
    const std::string error = input_error_of([&] { parse(title + "\n4 29.76\n"); });
    EXPECT_TRUE(error.ends_with("found \"" + title + "\"")) << error;
  }
}

TEST(Osu, OtherUnitsAreRefused) {
  EXPECT_EQ(input_error_of([] {
              parse("# OSU MPI Allreduce Latency Test\n# Size   Avg Latency(ms)\n4 29.76\n");
            }),
            "osu.log: line 2: expected Latency(us) or MB/s, found \"# Size   Avg Latency(ms)\"");
}

TEST(Osu, TwoTestsInOneFileAreRefused) {
  EXPECT_EQ(input_error_of([] {
              parse("# OSU MPI Allreduce Latency Test\n4 2\n# OSU MPI Broadcast Latency Test\n");
            }),
            "osu.log: line 3: expected one test, found a second, \"# OSU MPI Broadcast Latency "
            "Test\"; split the file");
}

TEST(Osu, TheTitleWinsOverTheUser) {
  ImportReport report;
  const BenchmarkLog log = parse_benchmark_log(
      "# OSU MPI Allreduce Latency Test\n4 29.76\n", "bcast.log",
      {.kind = CollectiveKind::Broadcast, .nodes = 2, .gpus_per_node = 4}, report);
  EXPECT_EQ(log.curve->kind, CollectiveKind::AllReduce);
  EXPECT_EQ(report.doubtful().size(), 1U);
}

TEST(Osu, RowsThatCannotBeAreCountedByName) {
  ImportReport report;
  parse_benchmark_log("# OSU MPI Allreduce Latency Test\n4 -2\n8 0\n16 3\n32 4.", "osu.log",
                      {.nodes = 2, .gpus_per_node = 4}, report);
  EXPECT_EQ(report.skipped().at("row with a negative number").first, "line 2");
  EXPECT_EQ(report.skipped().at("row of time or bandwidth 0").first, "line 3");
  EXPECT_TRUE(report.doubtful().contains("last line that does not end: cut off"));
}

TEST(Osu, NeedsALayoutAndRows) {
  EXPECT_EQ(input_error_of([] { parse("# OSU MPI Allreduce Latency Test\n4 29.76\n"); }),
            "osu.log: does not say on how many nodes and GPUs it ran; give --layout NODESxGPUS");
  EXPECT_EQ(input_error_of([] { parse("# OSU MPI Allreduce Latency Test\n"); }),
            "osu.log: expected rows of size and time, found none");
}

}  // namespace
}  // namespace stepcast
