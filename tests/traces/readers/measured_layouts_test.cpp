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
  EXPECT_EQ(error_of("set,model\na,b\n"), "t.csv: line 2: expected a column gpu, found none");
  EXPECT_EQ(error_of(kHead + "s,m\n"), "t.csv: line 2: expected 23 values, found 2");
  EXPECT_EQ(error_of(kHead + "s,m,2,8,32,2,2,4,10,a100,8,8,2,2,2,,16,full,flash,none,fp16,0,\n"),
            "t.csv: line 2: seconds: expected a time above 0 s, found 0");
  EXPECT_EQ(error_of("# nothing\n"), "t.csv: expected a line of column names and rows, found none");
}

}  // namespace
}  // namespace stepcast
