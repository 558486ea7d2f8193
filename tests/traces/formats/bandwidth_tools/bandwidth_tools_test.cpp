#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "traces/formats/benchmark_log.hpp"

namespace stepcast {
namespace {

BenchmarkLog parse(const std::string& text) {
  ImportReport report;
  return parse_benchmark_log(text, "tool.log", {}, report);
}

TEST(IbWriteBw, TakesTheBestAverage) {
  const std::string rows = " 2 5000 10.0 9.5 4.9\n 65536 5000 11600.0 11500.0 0.18\n";
  const std::string heading = " #bytes #iterations BW peak[MiB/sec] BW average[MiB/sec] MsgRate\n";
  EXPECT_DOUBLE_EQ(parse(heading + rows).link.bandwidth->value, 11500.0 * 1048576);
  const std::string bits = " #bytes #iterations BW peak[Gb/sec] BW average[Gb/sec] MsgRate\n";
  EXPECT_DOUBLE_EQ(parse(bits + " 65536 5000 97.0 96.8 0.18\n").link.bandwidth->value, 12.1e9);
}

TEST(IbWriteBw, RefusesAnUnknownUnitAndNoRows) {
  EXPECT_EQ(
      input_error_of([] { parse("#bytes BW average[furlongs]\n2 2 2 2\n"); }),
      "tool.log: line 1: expected \"BW average\" in MB/sec, MiB/sec or Gb/sec, found another unit");
  EXPECT_EQ(input_error_of([] { parse("#bytes BW average[MB/sec]\n"); }),
            "tool.log: expected rows with a bandwidth above 0, found none");
}

TEST(IbWriteBw, EveryHeadingHasItsOwnUnit) {
  // 96.8 Gb/s are 12.1e9 bytes/s, more than the 11000 MiB/s before.
  const std::string mib = "#bytes #iterations BW peak[MB/sec] BW average[MB/sec] MsgRate\n";
  const std::string gbit = "#bytes #iterations BW peak[Gb/sec] BW average[Gb/sec] MsgRate\n";
  EXPECT_DOUBLE_EQ(
      parse(mib + "65536 5000 0 11000 0\n" + gbit + "65536 5000 0 96.8 0\n").link.bandwidth->value,
      12.1e9);
}

TEST(IbWriteBw, NamesTheRowsThatItRefuses) {
  const std::string heading = "#bytes #iterations BW peak[MB/sec] BW average[MB/sec] MsgRate\n";
  EXPECT_EQ(
      input_error_of([&] { parse(heading + "2 5000 1 -9.5 1\n4 5000 1 0.00 1\n"); }),
      "tool.log: expected rows with a bandwidth above 0, found none (1 skipped: row of "
      "bandwidth 0 (first at line 3); 1 skipped: row with a negative number (first at line 2))");
}

TEST(Iperf3, TakesWhatTheReceiverGotOfAllStreams) {
  const std::string head = "[ ID] Interval           Transfer     Bitrate\n";
  const std::string one = "[  5]   0.00-10.00  sec  10.9 GBytes  9.40 Gbits/sec       receiver\n";
  const std::string sum = "[SUM]   0.00-10.00  sec  20.9 GBytes  940 Mbits/sec       receiver\n";
  EXPECT_DOUBLE_EQ(parse(head + one).link.bandwidth->value, 9.4e9 / 8);
  EXPECT_DOUBLE_EQ(parse(head + one + sum).link.bandwidth->value, 940e6 / 8);
  EXPECT_EQ(input_error_of([&] { parse(head + "[  5] 1 sec 2 GBytes 3 Gbits/sec sender\n"); }),
            "tool.log: expected iperf3's summary line (\"... receiver\"), found none");
}

TEST(Iperf3, ReadsJson) {
  const std::string good =
      R"({"start": {"test_start": {}}, "end": {"sum_received": {"bits_per_second": 8e9}}})";
  EXPECT_DOUBLE_EQ(parse(good).link.bandwidth->value, 1e9);
  const std::string error =
      input_error_of([] { parse(R"({"start": {"test_start": {}}, "error": "refused"})"); });
  EXPECT_EQ(error,
            "tool.log: /end/sum_received/bits_per_second: expected bits per second above 0, found "
            "nothing");
}

}  // namespace
}  // namespace stepcast
