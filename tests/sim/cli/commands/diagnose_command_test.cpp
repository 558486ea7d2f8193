#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/cli/run_cli.hpp"
#include "tests/support/made_job.hpp"

namespace stepcast {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kRanks = STEPCAST_SOURCE_DIR "/tests/golden/data/ranks/";

/// Nobody is late, and half of the step is a reduction. Of the last stage's ranks one is left out.
std::string pipeline_with_a_gap() {
  OperationRows rows;
  for (int step = 0; step < 3; ++step)
    for (int rank = 0; rank < 3; ++rank) {
      rows.add(rank % 2, rank / 2, rank, step, "forward-compute", 0, 0.1, 0, 0);
      rows.add(rank % 2, rank / 2, rank, step, "backward-compute", 0.1, 0.1, 0, 0);
      rows.add(rank % 2, rank / 2, rank, step, "grads-reduce-scatter", 0.2, 0.2);
    }
  return rows.text();
}

TEST(DiagnoseCommand, WhileRanksAreMissingTheNetworkIsNotBlamed) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_cli({"diagnose", folder.file("gap.csv", pipeline_with_a_gap()), "--json"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out,
              HasSubstr("Of 4 ranks 3 are recorded; missing: stage 1, dp_rank 1. Of those that "
                        "are recorded nobody holds up"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("no rank is late")));
  EXPECT_THAT(outcome.out, HasSubstr("\"kind\": \"none\""));
}

// Rank 2 is the only one of its stage that is recorded.
TEST(DiagnoseCommand, PartsWhoseClocksNothingJoinsAreNamed) {
  const TemporaryFolder folder;
  const Outcome outcome = run_cli({"diagnose", folder.file("gap.csv", pipeline_with_a_gap())});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("2 parts of the job: rank 0, rank 1; rank 2."));
}

TEST(DiagnoseCommand, ComparesRunsOfOneJobOnly) {
  const TemporaryFolder folder;
  const std::string job = folder.file("job.csv", MadeJob{}.text());
  const std::string figure = folder.file("f.svg");
  const Outcome outcome = run_cli({"diagnose", job, "--against", kRanks, "--figure", figure});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("not another run of this job: expected 8 ranks"));
  EXPECT_FALSE(std::filesystem::exists(figure));
  EXPECT_EQ(run_cli({"diagnose", job, "--against", job}).exit_code, 0);
}

/// The number behind a key of JSON.
double number_of(const Outcome& outcome, const std::string& key) {
  const std::size_t at = outcome.out.find("\"" + key + "\": ");
  return at == std::string::npos ? -1 : std::stod(outcome.out.substr(at + key.size() + 4));
}

TEST(ReplayCommand, TheJobAtOtherRanksIsTheForecastOfItsWorkloadAndSlowDowns) {
  const TemporaryFolder folder;
  const std::string workload = folder.file("mine.json");
  const std::string slow = folder.file("mine.csv");
  ASSERT_EQ(run_cli({"diagnose", kRanks, "--workload", workload, "--slow-downs", slow}).exit_code,
            0);
  const Outcome replayed = run_cli({"replay", kRanks, "--cluster", "rtx2080ti-16x4-10gbe",
                                    "--ranks", "8", "--schedule", "dear", "--json"});
  const Outcome uneven =
      run_cli({"run", "--workload", workload, "--cluster", "rtx2080ti-16x4-10gbe", "--nodes", "2",
               "--schedule", "dear", "--slow", "recorded:file=" + slow, "--json"});
  const Outcome even = run_cli({"run", "--workload", workload, "--cluster", "rtx2080ti-16x4-10gbe",
                                "--nodes", "2", "--schedule", "dear", "--json"});
  EXPECT_EQ(replayed.exit_code, 0) << replayed.err;
  EXPECT_EQ(number_of(replayed, "gpus"), 8);
  EXPECT_EQ(number_of(replayed, "recorded_gpus"), 2);
  // The files hold times to nine digits.
  EXPECT_NEAR(number_of(replayed, "iteration_time_s") / number_of(uneven, "iteration_time_s"), 1,
              1e-6);
  EXPECT_NEAR(number_of(replayed, "even_iteration_time_s") / number_of(even, "iteration_time_s"), 1,
              1e-6);
}

TEST(ReplayCommand, OtherRanksMustFillNodesAndLeaveNoOtherWhatIf) {
  const auto error_of = [](std::vector<std::string> options) {
    options.insert(options.begin(), {"replay", kRanks});
    const Outcome outcome = run_cli(options);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  const std::string cluster = "rtx2080ti-16x4-10gbe";
  EXPECT_THAT(error_of({"--ranks", "8"}), HasSubstr("--ranks: expected --cluster with it"));
  EXPECT_THAT(error_of({"--ranks", "6", "--cluster", cluster}),
              HasSubstr("--ranks: expected a multiple of the 4 GPUs of a node"));
  EXPECT_THAT(error_of({"--ranks", "8", "--cluster", cluster, "--bucket", "1MiB"}),
              HasSubstr("--bucket: expected no --ranks beside it"));
  EXPECT_THAT(error_of({"--schedule", "dear"}),
              HasSubstr("--schedule: expected --ranks beside it"));
  EXPECT_THAT(error_of({"--ranks", "8", "--cluster", cluster, "--schedule", "deer"}),
              HasSubstr("dear"));
}

TEST(DiagnoseCommand, ComparesWithANetworkThatIsThere) {
  const Outcome outcome =
      run_cli({"diagnose", kRanks, "--cluster", "rtx2080ti-16x4-10gbe", "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\"cluster\": \"rtx2080ti-16x4-10gbe\""));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\"cluster_busbw_bytes_per_s\": null")));
  EXPECT_THAT(run_cli({"diagnose", kRanks, "--cluster", "none"}).err,
              HasSubstr("unknown cluster \"none\""));
}

TEST(DiagnoseCommand, NamesTheColumnsThatAnotherTableLacks) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_cli({"diagnose", folder.file("x.csv", "# of a run\nrank,step,loss\n0,1,2\n")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("the columns dp_rank, stage, optype, start_ts, duration, "
                                     "seq_id are missing"));
}

}  // namespace
}  // namespace stepcast
