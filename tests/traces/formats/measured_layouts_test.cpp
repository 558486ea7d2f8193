#include "traces/formats/measured_layouts.hpp"

#include <string>

#include <gtest/gtest.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

const std::string kHead =
    "set,model,layers,hidden,ffn,heads,kv_heads,seq,vocab,gpu,gpus,gpus_per_node,tp,pp,dp,"
    "micro_batch,global_batch,recompute,attention,sharding,precision,seconds,note\n";

TEST(MeasuredLayouts, RowsAreReadByColumnName) {
  const auto cases =
      parse_cases(
          "# a comment\n" + kHead +
              "s,m,2,8,32,2,2,4,10,a100,8,8,2,2,2,,16,full,flash,zero1,fp16,1.5,\"a, \"\"b\"\"\"\n",
          "t.csv")
          .rows;
  ASSERT_EQ(cases.size(), 1U);
  EXPECT_EQ(cases[0].file, "t.csv");
  EXPECT_EQ(cases[0].line, 3U);
  EXPECT_EQ(cases[0].tensor, 2U);
  EXPECT_FALSE(cases[0].micro_batch.has_value());
  EXPECT_EQ(cases[0].virtual_stages, 1U);
  EXPECT_DOUBLE_EQ(cases[0].measured.value, 1.5);
}

std::string error_of(const std::string& text) {
  try {
    parse_cases(text, "t.csv");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// Why the second line of a table is rejected; empty: it is not.
std::string rejection_of(const std::string& head, const std::string& row) {
  const LayoutTable table = parse_cases(head + row, "t.csv");
  EXPECT_EQ(table.rows.size() + table.rejected.size(), 1U);
  if (table.rejected.empty())
    return "";
  EXPECT_EQ(table.rejected.front().line, 2U);
  EXPECT_EQ(table.rejected.front().file, "t.csv");
  return table.rejected.front().reason;
}

TEST(MeasuredLayouts, WhatIsNoSuchTableIsRefusedByLine) {
  EXPECT_EQ(error_of("set,model\na,b\n"),
            "t.csv: line 1: expected a column \"layers\", found none");
  EXPECT_EQ(error_of(kHead + "s,m\n"), "t.csv: line 2: expected 23 values, found 2");
  EXPECT_EQ(error_of("set," + kHead),
            "t.csv: line 1: expected a column \"set\" once, found it twice");
  EXPECT_EQ(error_of("# nothing\n"), "t.csv: expected a line of column names and rows, found none");
}

TEST(MeasuredLayouts, ARowOfAnUnknownValueIsRejectedByColumn) {
  const auto reason = [](const std::string& row) { return rejection_of(kHead, row); };
  EXPECT_EQ(reason("s,m,2,8,32,2,2,4,10,a100,8,8,2,2,2,,16,full,flash,none,fp16,0,\n"),
            "seconds: expected a time above 0 s and at most 1000000 s, found \"0\"");
  EXPECT_EQ(reason("s,m,2,8,32,2,2,4,10,/etc/x,8,8,2,2,2,,16,full,flash,none,fp16,1,\n"),
            "gpu: expected a name, not a path, found \"/etc/x\"");
  EXPECT_EQ(reason("s,m,2,eight,32,2,2,4,10,a100,8,8,2,2,2,,16,full,flash,none,fp16,1,\n"),
            "hidden: expected a whole number from 1 on, found \"eight\"");
}

// One unknown sharding refused the whole table.
TEST(MeasuredLayouts, RowsAroundARejectedOneAreRead) {
  const auto row = [](const std::string& sharding) {
    return "s,m,2,8,32,2,2,4,10,a100,8,8,2,2,2,,16,full,flash," + sharding + ",fp16,1,\n";
  };
  const LayoutTable table =
      parse_cases(kHead + row("none") + row("zero3:shard_grad_op") + row("zero1"), "t.csv");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[1].sharding, "zero1");
  EXPECT_EQ(table.rows[1].line, 4U);
  ASSERT_EQ(table.rejected.size(), 1U);
  EXPECT_EQ(table.rejected[0].line, 3U);
}

TEST(MeasuredLayouts, ColumnsSayWhatSizesLeaveOpen) {
  const std::string head = kHead.substr(0, kHead.size() - 5) + "gated,tied,positions\n";
  const auto row = [](const std::string& rest) {
    return "s,m,2,8,32,2,2,4,10,a100,8,8,2,2,2,,16,full,flash,none,fp16,1," + rest + "\n";
  };
  const MeasuredLayout stated = parse_cases(head + row("yes,no,rotary"), "t.csv").rows.front();
  EXPECT_EQ(stated.gated, true);
  EXPECT_EQ(stated.tied, false);
  EXPECT_EQ(stated.learned_positions, false);
  const MeasuredLayout open = parse_cases(head + row(",,"), "t.csv").rows.front();
  EXPECT_FALSE(open.gated || open.tied || open.learned_positions);
  EXPECT_EQ(rejection_of(head, row("maybe,,")), "gated: expected one of yes, no, found \"maybe\"");
  EXPECT_EQ(rejection_of(head, row(",,rope")),
            "positions: expected one of learned, rotary, alibi, relative, none, found \"rope\"");
}

std::string row_with(const std::string& recompute, const std::string& attention,
                     const std::string& sharding, const std::string& seconds,
                     const std::string& rest) {
  return "s,m,2,8,32,2,2,4,10,a100,8,8,2,2,2,,16," + recompute + "," + attention + "," + sharding +
         ",fp16," + seconds + "," + rest + "\n";
}

TEST(MeasuredLayouts, WordsThatMeanNothingAreRejected) {
  const std::string head = kHead.substr(0, kHead.size() - 5) + "metric,value,framework\n";
  const auto error = [&](const std::string& row) { return rejection_of(head, row); };
  const std::string good = "seconds,1.5,megatron-lm";
  EXPECT_EQ(error(row_with("full", "flash", "zero1:8", "1.5", good)), "");
  EXPECT_EQ(error(row_with("", "", "", "1.5", ",,")), "");
  EXPECT_EQ(error(row_with("abc", "flash", "none", "1.5", good)),
            "recompute: expected one of none, selective, full, "
            "selective+sequence-parallel, full+sequence-parallel, unstated, found \"abc\"");
  EXPECT_EQ(error(row_with("full", "nan", "none", "1.5", good)),
            "attention: expected one of flash, unfused, found \"nan\"");
  for (const char* sharding : {"-1", "abc", "zero", "zero4", "zero1:", "zero1:-1", "zero2:8"})
    EXPECT_EQ(error(row_with("full", "flash", sharding, "1.5", good)),
              "sharding: expected none, zero0 to zero3, zero1:all, zero1:RANKS or "
              "zero3:full_shard, found \"" +
                  std::string(sharding) + "\"");
  EXPECT_EQ(error(row_with("full", "flash", "none", "1e30", good)),
            "seconds: expected a time above 0 s and at most 1000000 s, found "
            "\"1e30\"");
}

TEST(MeasuredLayouts, WhatNoForecastNeedsIsCheckedToo) {
  const std::string head = kHead.substr(0, kHead.size() - 5) + "metric,value,framework\n";
  const auto error = [&](const std::string& rest) {
    return rejection_of(head, row_with("full", "flash", "none", "1.5", rest));
  };
  EXPECT_EQ(error("seconds,1.5,mine (own)"), "");
  EXPECT_EQ(error("abc,1.5,mine"),
            "metric: expected one of seconds, tokens_per_s, tokens_per_s_per_gpu, "
            "tflops_per_gpu, found \"abc\"");
  EXPECT_EQ(error("seconds,nan,mine"), "value: expected a number, found \"nan\"");
  EXPECT_EQ(error("seconds,-1,mine"), "value: expected a number above 0, found \"-1\"");
  EXPECT_EQ(error("seconds,1.5,1e30"), "framework: expected a name, found \"1e30\"");
}

}  // namespace
}  // namespace stepcast
