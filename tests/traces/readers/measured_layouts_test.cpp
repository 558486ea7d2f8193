#include "traces/readers/measured_layouts.hpp"

#include <string>

#include <gtest/gtest.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

const std::string kHead =
    "set,model,layers,hidden,ffn,heads,kv_heads,seq,vocab,gpu,gpus,gpus_per_node,tp,pp,dp,"
    "micro_batch,global_batch,recompute,attention,sharding,precision,seconds,note\n";

TEST(MeasuredLayouts, RowsAreReadByColumnName) {
  const auto cases = parse_cases(
      "# a comment\n" + kHead +
          "s,m,2,8,32,2,2,4,10,a100,8,8,2,2,2,,16,full,flash,zero1,fp16,1.5,\"a, \"\"b\"\"\"\n",
      "t.csv");
  ASSERT_EQ(cases.size(), 1U);
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

TEST(MeasuredLayouts, FaultsNameLineAndColumn) {
  EXPECT_EQ(error_of("set,model\na,b\n"), "t.csv: line 2: expected a column \"gpu\", found none");
  EXPECT_EQ(error_of(kHead + "s,m\n"), "t.csv: line 2: expected 23 values, found 2");
  EXPECT_EQ(error_of(kHead + "s,m,2,8,32,2,2,4,10,a100,8,8,2,2,2,,16,full,flash,none,fp16,0,\n"),
            "t.csv: line 2: seconds: expected a time above 0 s and at most 1000000 s, found \"0\"");
  EXPECT_EQ(error_of(kHead + "s,m,2,8,32,2,2,4,10,/etc/x,8,8,2,2,2,,16,full,flash,none,fp16,1,\n"),
            "t.csv: line 2: gpu: expected a name, not a path, found \"/etc/x\"");
  EXPECT_EQ(error_of("# nothing\n"), "t.csv: expected a line of column names and rows, found none");
}

std::string row_with(const std::string& recompute, const std::string& attention,
                     const std::string& sharding, const std::string& seconds,
                     const std::string& rest) {
  return "s,m,2,8,32,2,2,4,10,a100,8,8,2,2,2,,16," + recompute + "," + attention + "," + sharding +
         ",fp16," + seconds + "," + rest + "\n";
}

TEST(MeasuredLayouts, WordsThatMeanNothingAreRefused) {
  const std::string head = kHead.substr(0, kHead.size() - 5) + "metric,value,framework\n";
  const auto error = [&](const std::string& row) { return error_of(head + row); };
  const std::string good = "seconds,1.5,megatron-lm";
  EXPECT_EQ(error(row_with("full", "flash", "zero1:8", "1.5", good)), "");
  EXPECT_EQ(error(row_with("", "", "", "1.5", ",,")), "");
  EXPECT_EQ(error(row_with("abc", "flash", "none", "1.5", good)),
            "t.csv: line 2: recompute: expected one of none, selective, full, "
            "selective+sequence-parallel, full+sequence-parallel, unstated, found \"abc\"");
  EXPECT_EQ(error(row_with("full", "nan", "none", "1.5", good)),
            "t.csv: line 2: attention: expected one of flash, unfused, found \"nan\"");
  for (const char* sharding : {"-1", "abc", "zero", "zero4", "zero1:", "zero1:-1", "zero2:8"})
    EXPECT_EQ(error(row_with("full", "flash", sharding, "1.5", good)),
              "t.csv: line 2: sharding: expected none, zero0 to zero3, zero1:all, zero1:RANKS or "
              "zero3:full_shard, found \"" +
                  std::string(sharding) + "\"");
  EXPECT_EQ(error(row_with("full", "flash", "none", "1e30", good)),
            "t.csv: line 2: seconds: expected a time above 0 s and at most 1000000 s, found "
            "\"1e30\"");
}

TEST(MeasuredLayouts, WhatNoForecastNeedsIsCheckedToo) {
  const std::string head = kHead.substr(0, kHead.size() - 5) + "metric,value,framework\n";
  const auto error = [&](const std::string& rest) {
    return error_of(head + row_with("full", "flash", "none", "1.5", rest));
  };
  EXPECT_EQ(error("seconds,1.5,mine (own)"), "");
  EXPECT_EQ(error("abc,1.5,mine"),
            "t.csv: line 2: metric: expected one of seconds, tokens_per_s, tokens_per_s_per_gpu, "
            "tflops_per_gpu, found \"abc\"");
  EXPECT_EQ(error("seconds,nan,mine"), "t.csv: line 2: value: expected a number, found \"nan\"");
  EXPECT_EQ(error("seconds,-1,mine"),
            "t.csv: line 2: value: expected a number above 0, found \"-1\"");
  EXPECT_EQ(error("seconds,1.5,1e30"), "t.csv: line 2: framework: expected a name, found \"1e30\"");
}

}  // namespace
}  // namespace stepcast
