// Tables of which rows are left out: what is missing is told, and no more than is there.
#include "sim/jobs/diagnose/missing_ranks.hpp"

#include <algorithm>
#include <functional>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/base/text.hpp"
#include "sim/jobs/diagnose/diagnosis.hpp"
#include "tests/support/input_error.hpp"
#include "tests/support/made_pipeline.hpp"
#include "tests/support/table_job.hpp"

namespace stepcast {
namespace {

struct Row {
  int data = 0;
  int stage = 0;
  int rank = 0;
  std::string type;
};

/// The rows of a table that are to be kept.
std::string kept_of(const std::string& text, const std::function<bool(const Row&)>& keep) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  std::string kept = line + "\n";
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    std::vector<std::string> of(5);
    for (std::string& cell : of)
      std::getline(cells, cell, ',');
    if (keep({std::stoi(of[0]), std::stoi(of[1]), std::stoi(of[2]), of[4]}))
      kept += line + "\n";
  }
  return kept;
}

/// Of four stages of two ranks each, of which the last does more.
MadePipeline pipeline() {
  MadePipeline made{.micro_batches = 8,
                    .steps = 4,
                    .message = 0.001,
                    .sum = 0.004,
                    .norm = 0.001,
                    .update = 0.002};
  made.forward = [](int stage, int, int) { return stage == 3 ? 0.014 : 0.010; };
  made.backward = [](int stage, int, int) { return stage == 3 ? 0.028 : 0.020; };
  return made;
}

Diagnosis diagnosis_of(const MadePipeline& made, const std::function<bool(const Row&)>& keep) {
  return diagnose(table_job(kept_of(made.text(), keep)));
}

bool begins_with(const std::string& text, const std::string& begin) {
  return text.compare(0, begin.size(), begin) == 0;
}

// What the third stage sends on proves a fourth. It was told that the host held up the job, whose
// ranks wait for those that are missing.
TEST(MissingRanksTest, AStageThatOthersSendToIsMissing) {
  const Diagnosis diagnosis =
      diagnosis_of(pipeline(), [](const Row& row) { return row.stage < 3; });
  EXPECT_EQ(diagnosis.missing.names, std::vector<std::string>{"stage 3"});
  EXPECT_TRUE(diagnosis.missing.at_least);
  EXPECT_EQ(diagnosis.gpus, 8U);
  EXPECT_EQ(diagnosis.by_stage.size(), 3U);
  EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::None) << diagnosis.verdict.text;
  EXPECT_TRUE(begins_with(diagnosis.verdict.text,
                          "Of at least 8 ranks 6 are recorded; missing: stage 3. Of those that are "
                          "recorded nobody holds up the job."))
      << diagnosis.verdict.text;
  EXPECT_LT(diagnosis.step_error, 0.01);
  // What they wait for is no delay of the host.
  EXPECT_GT(diagnosis.gains.no_host_gaps, 0.99 * diagnosis.recorded_step);
  for (const RankUse& use : diagnosis.uses)
    EXPECT_LT(use.idle_for_host, 0.02 * diagnosis.recorded_step);
}

TEST(MissingRanksTest, TheJobFileSaysHowManyStagesThereAre) {
  const std::string text = kept_of(pipeline().text(), [](const Row& row) { return row.stage < 3; });
  const MissingRanks missing = missing_ranks(table_job(text, {.pipeline = 4}));
  EXPECT_EQ(in_words(missing, 6), "Of 8 ranks 6 are recorded; missing: stage 3.");
}

// Each rank has two chunks, of which the last stage sends the first on, to the first stage.
TEST(MissingRanksTest, TheLastStageOfAnInterleavedPipelineIsTold) {
  const auto missing = [](int recorded) {
    std::string text = "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc\n";
    for (int stage = 0; stage < recorded; ++stage)
      for (int number = 0; number < 8; ++number) {
        const int chunk = number / 4;
        text += fmt::format("0,{0},{0},1,forward-compute,{1},0.01,{2},{3},{4},{5}\n", stage,
                            0.01 * number, number, chunk, number % 4, 4 * chunk + stage);
        if (chunk == 0 || stage < 3)
          text += fmt::format("0,{0},{0},1,forward-send,{1},0.001,{2},{3},-1,-1\n", stage,
                              0.01 * number + 0.01, number, chunk);
      }
    return missing_ranks(table_job(text)).names;
  };
  EXPECT_EQ(missing(4), std::vector<std::string>{});
  EXPECT_EQ(missing(3), std::vector<std::string>{"stage 3"});
}

// Stage 3 is slow on its other rank, too.
TEST(MissingRanksTest, WithoutOneRankTheSlowStageIsFound) {
  const Diagnosis diagnosis =
      diagnosis_of(pipeline(), [](const Row& row) { return row.rank != 7; });
  EXPECT_EQ(diagnosis.missing.names, std::vector<std::string>{"stage 3, dp_rank 1"});
  EXPECT_EQ(diagnosis.verdict.subject, "stage 3") << diagnosis.verdict.text;
  EXPECT_TRUE(begins_with(diagnosis.verdict.text,
                          "Of 8 ranks 7 are recorded; missing: stage 3, dp_rank 1. Uneven stages"))
      << diagnosis.verdict.text;
}

// Of those that are there one is slow: that stays so whatever the others do.
TEST(MissingRanksTest, WithoutTheLastStageASlowRankIsFound) {
  MadePipeline made{.copies = 4, .micro_batches = 8, .steps = 4, .message = 0.001, .sum = 0.004};
  made.forward = [](int stage, int copy, int) { return stage == 1 && copy == 2 ? 0.018 : 0.010; };
  made.backward = [](int stage, int copy, int) { return stage == 1 && copy == 2 ? 0.036 : 0.020; };
  const Diagnosis diagnosis = diagnosis_of(made, [](const Row& row) { return row.stage < 3; });
  EXPECT_EQ(diagnosis.verdict.subject, "rank 6") << diagnosis.verdict.text;
  EXPECT_TRUE(begins_with(diagnosis.verdict.text, "Of at least 16 ranks 12 are recorded"))
      << diagnosis.verdict.text;
}

TEST(MissingRanksTest, OneRankProvesOthers) {
  for (int rank = 0; rank < 8; ++rank) {
    const Diagnosis diagnosis =
        diagnosis_of(pipeline(), [=](const Row& row) { return row.rank == rank; });
    EXPECT_TRUE(diagnosis.missing.at_least) << rank;
    EXPECT_NEAR(diagnosis.slowdown, 1, 1e-6) << rank;  // of transfers that may be waits
    EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::None) << rank << diagnosis.verdict.text;
    EXPECT_TRUE(begins_with(diagnosis.verdict.text, "Of at least ")) << diagnosis.verdict.text;
    EXPECT_NE(diagnosis.verdict.text.find("ranks 1 is recorded"), std::string::npos)
        << diagnosis.verdict.text;
  }
}

// Its passes differ, but there is no stage to compare them with.
TEST(MissingRanksTest, ARankByItselfIsNoUnevenStage) {
  MadePipeline made = pipeline();
  made.forward = [](int, int, int step) { return step % 2 == 0 ? 0.010 : 0.015; };
  const Diagnosis diagnosis = diagnosis_of(made, [](const Row& row) { return row.rank == 4; });
  EXPECT_NE(diagnosis.verdict.kind, VerdictKind::Stage) << diagnosis.verdict.text;
  EXPECT_FALSE(diagnosis.gains.even_stages);
}

TEST(MissingRanksTest, OneDataParallelRankProvesOthers) {
  const std::string text = kept_of(MadeJob{}.text(), [](const Row& row) { return row.rank == 0; });
  EXPECT_TRUE(begins_with(diagnose(table_job(text)).verdict.text,
                          "Of at least 2 ranks 1 is recorded. Of those"));
}

TEST(MissingRanksTest, DataParallelRanksAreCountedFromTheFirst) {
  const MissingRanks missing = missing_ranks(
      table_job(kept_of(pipeline().text(), [](const Row& row) { return row.data == 1; })));
  EXPECT_EQ(in_words(missing, 4), "Of 8 ranks 4 are recorded; missing: dp_rank 0.");
}

TEST(MissingRanksTest, ProfilesAreTheirRanks) {
  Job job{.gpus = 8, .ranks = {{.number = 0}, {.number = 4}, {.number = 8, .serves = true}}};
  EXPECT_EQ(in_words(missing_ranks(job), 2),
            "Of 8 ranks 2 are recorded; missing: ranks 1-3; ranks 5-7.");
  job.gpus = 1;
  job.ranks.resize(1);
  EXPECT_FALSE(missing_ranks(job).any());
}

TEST(MissingRanksTest, AWholeTableMissesNobody) {
  EXPECT_FALSE(missing_ranks(table_job(pipeline().text())).any());
}

// What waits for work that the table has none of was told as the host's delay.
TEST(MissingRanksTest, WorkThatIsMissingAltogetherIsNoDelayOfTheHost) {
  const auto without = [](const std::vector<std::string>& types) {
    return diagnosis_of(
               pipeline(),
               [&](const Row& row) { return std::ranges::find(types, row.type) == types.end(); })
        .verdict;
  };
  const std::vector<std::pair<std::string, JobVerdict>> verdicts = {
      {"messages between stages",
       without({"forward-send", "forward-recv", "backward-send", "backward-recv"})},
      {"backward passes", without({"backward-compute"})},
      {"forward passes", without({"forward-compute"})}};
  for (const auto& [missing, verdict] : verdicts) {
    EXPECT_EQ(verdict.kind, VerdictKind::None) << verdict.text;
    EXPECT_NE(verdict.text.find("not known: " + missing + " are not recorded"), std::string::npos)
        << verdict.text;
  }
}

// That the host held up the job was told of it.
TEST(MissingRanksTest, ATableWithoutComputationIsRefused) {
  EXPECT_EQ(input_error_of([] {
              diagnosis_of(pipeline(), [](const Row& row) {
                return row.type.find("compute") == std::string::npos && row.type != "optimizer";
              });
            }),
            "made.csv: expected computation, such as forward-compute and backward-compute, found "
            "communication alone");
}

/// Its data-parallel ranks have other numbers; -1: they are not recorded.
std::string with_data(const std::string& text, const std::function<int(int)>& number) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  std::string changed = line + "\n";
  while (std::getline(lines, line))
    if (const int to = number(line.front() - '0'); to >= 0)
      changed += std::to_string(to) + line.substr(1) + "\n";
  return changed;
}

// A first one was told to be missing, although no number is.
TEST(MissingRanksTest, DataParallelRanksMayCountFromOne) {
  const auto from_one = [](int data) { return data + 1; };
  for (const std::string& text : {pipeline().text(), MadeJob{}.text()}) {
    const std::string counted = with_data(text, from_one);
    for (const std::uint32_t said : {0U, text == MadeJob{}.text() ? 8U : 2U}) {
      const Job job = table_job(counted, {.data = said});
      EXPECT_FALSE(missing_ranks(job).any()) << said;
      EXPECT_EQ(job.gpus, 8U) << said;
      EXPECT_EQ(data_groups(job), text == MadeJob{}.text() ? 8U : 2U) << said;
    }
  }
  // The job file says of how many ranks the first and the last are not there.
  EXPECT_EQ(
      missing_ranks(table_job(with_data(MadeJob{.ranks = 7}.text(), from_one), {.data = 8})).names,
      std::vector<std::string>{"dp_rank 0"});
}

TEST(MissingRanksTest, GapsOfDataParallelRanksAreNamed) {
  const auto gap = [](int data) { return data < 2 ? data : data + 1; };
  EXPECT_EQ(in_words(missing_ranks(table_job(with_data(MadeJob{}.text(), gap))), 8),
            "Of 9 ranks 8 are recorded; missing: dp_rank 2.");
  // The job file says that none is.
  EXPECT_FALSE(missing_ranks(table_job(with_data(MadeJob{}.text(), gap), {.data = 8})).any());
}

// Without its last one a table was refused, without its first one read.
TEST(MissingRanksTest, TheJobFileTellsWhichDataParallelRankIsMissing) {
  for (const int missing : {0, 3, 7}) {
    const std::string text =
        kept_of(MadeJob{}.text(), [=](const Row& row) { return row.data != missing; });
    for (const JobShape& shape : {JobShape{.data = 8}, JobShape{.data = 8, .gpus = 8},
                                  JobShape{.tensor = 1, .context = 1, .gpus = 8}}) {
      const Job job = table_job(text, shape);
      EXPECT_EQ(missing_ranks(job).names,
                std::vector<std::string>{fmt::format("dp_rank {}", missing)});
      EXPECT_EQ(job.gpus, 8U);
    }
  }
  EXPECT_EQ(missing_ranks(
                table_job(kept_of(pipeline().text(), [](const Row& row) { return row.data == 0; }),
                          {.data = 2, .pipeline = 4}))
                .names,
            std::vector<std::string>{"dp_rank 1"});
  EXPECT_EQ(input_error_of([] { table_job(MadeJob{}.text(), {.data = 7}); }),
            "made.csv: expected dp = 7, as the job file says, found 8");
}

TEST(MissingRanksTest, OfManyTheFirstOnesAreNamed) {
  MissingRanks missing{.expected = 9};
  for (int data = 1; data <= 6; ++data)
    missing.names.push_back(fmt::format("dp_rank {}", data));
  EXPECT_EQ(in_words(missing, 3),
            "Of 9 ranks 3 are recorded; missing: dp_rank 1; dp_rank 2; dp_rank 3; dp_rank 4; and 2 "
            "more.");
}

// Its stage's other rank has them: half of the ranks are no majority that tells when they ran.
TEST(MissingRanksTest, ARankWithoutBackwardPassesIsDoubted) {
  const auto doubts = [](int rank) {
    return diagnosis_of(
               pipeline(),
               [=](const Row& row) { return row.rank != rank || row.type != "backward-compute"; })
        .doubts;
  };
  EXPECT_TRUE(doubts(-1).empty());
  for (const int rank : {0, 5}) {
    const std::vector<std::string> found = doubts(rank);
    EXPECT_EQ(
        std::ranges::count(found, fmt::format("of rank {} no backward passes are recorded", rank)),
        1)
        << rank;
  }
}

}  // namespace
}  // namespace stepcast
