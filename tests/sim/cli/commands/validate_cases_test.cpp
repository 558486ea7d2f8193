#include <gtest/gtest.h>

#include "tests/sim/cli/run_cli.hpp"

namespace stepcast {
namespace {

const std::string kTable =
    "set,model,layers,hidden,ffn,heads,kv_heads,seq,vocab,gpu,gpus,gpus_per_node,tp,pp,dp,"
    "micro_batch,global_batch,recompute,attention,sharding,precision,seconds\n"
    "mine,m,4,1024,4096,16,16,1024,51200,a100,8,8,2,2,2,1,16,full,unfused,none,fp16,1\n";

TEST(ValidateCases, WithNoRowLeftNothingPasses) {
  const TemporaryFolder folder;
  const std::string file = folder.file("t.csv", kTable);
  const Outcome outcome = run_cli(
      {"validate", "--cases", file, "--cluster", "rtx2080ti-16x4-10gbe", "--max-error", "99"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("--max-error: every row was left out"), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.out.find("t.csv: line 2 (m): ran on a100"), std::string::npos) << outcome.out;
}

// It was an empty table, and all was well.
TEST(ValidateCases, WithNoRowLeftTheFirstLineSaysWhy) {
  const TemporaryFolder folder;
  const std::string file = folder.file("t.csv", kTable);
  const Outcome outcome =
      run_cli({"validate", "--cases", file, "--cluster", "rtx2080ti-16x4-10gbe"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err, "stepcast: --cases: every row was left out; nothing could be compared\n");
  EXPECT_TRUE(
      outcome.out.starts_with("Nothing could be compared: every row was left out: ran on a100"))
      << outcome.out;
}

TEST(ValidateCases, UnknownOptionIsRefused) {
  const TemporaryFolder folder;
  const std::string file = folder.file("t.csv", kTable);
  const Outcome outcome =
      run_cli({"validate", "--cases", file, "--cluster", "dgx-a100", "--set", "bogus=1"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err, "stepcast: --set bogus=1: expected an option of 1f1b or interleaved\n");
}

TEST(ValidateCases, MeasuredBlocksAreOfCases) {
  EXPECT_EQ(run_cli({"validate", "--blocks", "b.json"}).err,
            "stepcast: --blocks: expected --cases beside it\n");
}

TEST(ValidateCases, AFileThatIsNamedTwiceCountsOnce) {
  const TemporaryFolder folder;
  const std::string file = folder.file("t.csv", kTable);
  const std::string again = folder.file("./t.csv");
  const std::vector<std::string> once{"validate", "--cases", file, "--cluster", "dgx-a100"};
  std::vector<std::string> twice = once;
  twice.insert(twice.end(), {"--cases", again});
  const Outcome outcome = run_cli(twice);
  EXPECT_EQ(outcome.out, run_cli(once).out);
  EXPECT_NE(outcome.err.find("t.csv\" given twice, taken once"), std::string::npos) << outcome.err;
}

// Both were read and then forgotten.
TEST(ValidateCases, WhatWouldNotCountIsRefused) {
  const Outcome cluster = run_cli({"validate", "--cluster", "0x10"});
  EXPECT_EQ(cluster.exit_code, 2);
  EXPECT_EQ(cluster.err,
            "stepcast: --cluster: expected --cases beside it; measurements name their clusters\n");
  const Outcome fidelity = run_cli({"validate", "--cases", "layouts.csv", "--fidelity", "step"});
  EXPECT_EQ(fidelity.exit_code, 2);
  EXPECT_EQ(fidelity.err, "stepcast: --fidelity: expected no --cases beside it\n");
}

TEST(ValidateCases, ATableNeedsTheOption) {
  const TemporaryFolder folder;
  const std::string file = folder.file("t.csv", kTable);
  EXPECT_EQ(run_cli({"validate", file}).err,
            "stepcast: validate: " + file + ": a table: use --cases " + file + "\n");
}

}  // namespace
}  // namespace stepcast
