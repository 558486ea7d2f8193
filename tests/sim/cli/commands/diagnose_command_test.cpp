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
  EXPECT_THAT(outcome.out, HasSubstr("Of 4 ranks 3 are recorded, in which nobody holds up"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("no rank is late")));
  EXPECT_THAT(outcome.out, HasSubstr("\"kind\": \"none\""));
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
