#include "traces/formats/megatron/timers.hpp"

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "traces/formats/stepcast/transformers/profiled_block.hpp"

namespace stepcast {
namespace {

// The first interval is of a warm-up; of the others the median.
const char* const kOneLine =
    " iteration 10/ 100 | elapsed time per iteration (ms): 123.4 | global batch size: 4 |\n"
    "time (ms) | forward-compute: 58.16 | backward-compute: 99.66 | optimizer: 57.50\n"
    "time (ms) | forward-compute: 30.00 | backward-compute: 60.00 | optimizer: 57.50\n"
    "time (ms) | forward-compute: 32.00 | backward-compute: 62.00 | optimizer: 57.50\n";

TEST(MegatronTimers, OldReleasesWriteALine) {
  const MegatronTimers timers = parse_megatron_timers(kOneLine, "a.log");
  EXPECT_DOUBLE_EQ(timers.forward.value, 31e-3);
  EXPECT_DOUBLE_EQ(timers.backward.value, 61e-3);
  EXPECT_EQ(timers.intervals, 3U);
}

TEST(MegatronTimers, NewOnesALineForEachTimerOrTheRanksRange) {
  const MegatronTimers of_ranks = parse_megatron_timers(
      "(min, max) time across ranks (ms):\n"
      "    forward-backward ...............................: (99.00, 99.50)\n"
      "    forward-compute ................................: (30.00, 31.00)\n"
      "    backward-compute ...............................: (60.00, 62.00)\n"
      "    forward-compute-other ..........................: (1.00, 9.00)\n",
      "b.log");
  EXPECT_DOUBLE_EQ(of_ranks.forward.value, 30.5e-3);
  EXPECT_DOUBLE_EQ(of_ranks.backward.value, 61e-3);
  const MegatronTimers of_one = parse_megatron_timers(
      "time (ms):\n    forward-compute .....: 30.00\n    backward-compute ....: 60.00\n", "c.log");
  EXPECT_DOUBLE_EQ(of_one.forward.value, 30e-3);
}

TEST(MegatronTimers, FaultsNameFileLineAndTimer) {
  const auto error_of = [](const char* text) {
    return input_error_of([&] { parse_megatron_timers(text, "x.log"); });
  };
  EXPECT_EQ(error_of("time (ms) | forward-compute: 3\n"),
            "x.log: expected Megatron-LM's timer backward-compute (--timing-log-level 2), found "
            "none");
  EXPECT_EQ(error_of("\nforward-compute ...: (30.00, 45.00)\n"),
            "x.log: line 2: forward-compute: expected ranks that hold the same, as without a "
            "pipeline, found 30 to 45 ms");
  EXPECT_EQ(error_of("forward-compute ...: (30.00, \n"),
            "x.log: line 1: forward-compute: expected milliseconds, or (least, most) of the ranks");
  EXPECT_EQ(error_of("forward-compute: -1\n").substr(0, 32), "x.log: line 1: forward-compute: ");
}

KeyValues with(const char* blocks) {
  return {{"model", "gpt-22b"},
          {"tp", "8"},
          {"micro_batch", "4"},
          {"micro_batches", "2"},
          {"blocks", blocks}};
}

// 62 ms less 14 over two micro-batches and 22 blocks.
TEST(MegatronTimers, TheDifferenceOfTwoLogsIsOfBlocks) {
  const MegatronTimers many{.forward = Seconds{62e-3}, .backward = Seconds{124e-3}, .intervals = 3};
  const MegatronTimers few{.forward = Seconds{18e-3}, .backward = Seconds{36e-3}, .intervals = 3};
  const MeasuredParts two = measured_parts_of({many, few}, "a100", {.source = "x"}, with("24-2"));
  EXPECT_DOUBLE_EQ(two.rows.front().forward.value, 1e-3);
  EXPECT_DOUBLE_EQ(two.rows.front().backward.value, 2e-3);
  EXPECT_TRUE(two.rows.front().with_messages);
  const MeasuredParts one = measured_parts_of({many}, "a100", {.source = "x"}, with("31"));
  EXPECT_DOUBLE_EQ(one.rows.front().forward.value, 1e-3);
  const auto error_of = [&](const std::vector<MegatronTimers>& logs, const KeyValues& how) {
    return input_error_of([&] { measured_parts_of(logs, "a100", {.source = "x"}, how); });
  };
  EXPECT_EQ(error_of({many, few}, with("24")),
            "--block: blocks: expected those of both logs, such as 24-2, found 24");
  EXPECT_EQ(error_of({few, many}, with("24-2")),
            "--block: blocks: expected more blocks to take longer, found the opposite");
  EXPECT_EQ(error_of({many}, {{"model", "gpt-22b"}, {"blocks", "24"}}),
            "--block: micro_batches: expected with Megatron-LM's timers, found none");
}

}  // namespace
}  // namespace stepcast
