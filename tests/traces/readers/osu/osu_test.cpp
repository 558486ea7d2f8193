#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "traces/readers/benchmark_log.hpp"

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
  EXPECT_EQ(parse("# OSU MPI-CUDA Latency Test\n0 1.29\n1 2.5\n").link.latency, Seconds{1.29e-6});
  EXPECT_EQ(parse("# OSU MPI Bandwidth Test\n1 2.5\n4096 10000\n8192 9000\n").link.bandwidth,
            BytesPerSecond{1e10});
}

TEST(Osu, NeedsALayoutAndRows) {
  EXPECT_EQ(input_error_of([] { parse("# OSU MPI Allreduce Latency Test\n4 29.76\n"); }),
            "osu.log: does not say on how many nodes and GPUs it ran; give --layout NODESxGPUS");
  EXPECT_EQ(input_error_of([] { parse("# OSU MPI Allreduce Latency Test\n"); }),
            "osu.log: expected rows of size and time, found none");
}

}  // namespace
}  // namespace stepcast
