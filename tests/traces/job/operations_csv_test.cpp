#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "tests/support/input_error.hpp"
#include "tests/support/made_job.hpp"
#include "traces/job/job_formats.hpp"

namespace stepcast {
namespace {

Job read(const std::string& text, const JobShape& shape = {}) {
  ImportReport report;
  return read_operations_csv(text, "job.csv", shape, report);
}

std::string error_of(const std::string& text, const JobShape& shape = {}) {
  return input_error_of([&] { read(text, shape); });
}

/// Two stages, one micro-batch: forward, message, forward and backward, message, backward.
std::string pipeline(double slow_last = 1) {
  OperationRows rows;
  const double last = 0.03 * slow_last;
  rows.add(0, 0, 0, 7, "forward-compute", 0, 0.010, 0, 0);
  rows.add(0, 0, 0, 7, "forward-send", 0.010, 0.001);
  rows.add(0, 1, 1, 7, "forward-recv", 0.000, 0.011);
  rows.add(0, 1, 1, 7, "forward-compute", 0.011, last, 0, 0);
  rows.add(0, 1, 1, 7, "backward-compute", 0.011 + last, 0.020, 0, 0);
  rows.add(0, 1, 1, 7, "backward-send", 0.031 + last, 0.001);
  rows.add(0, 0, 0, 7, "backward-recv", 0.011, 0.021 + last);
  rows.add(0, 0, 0, 7, "backward-compute", 0.032 + last, 0.020, 0, 0);
  return rows.text();
}

TEST(OperationsCsvTest, IsToldByItsHeading) {
  EXPECT_TRUE(is_operations_csv(pipeline()));
  EXPECT_TRUE(is_operations_csv("# a remark\n" + pipeline()));
  EXPECT_FALSE(is_operations_csv("#"));
  EXPECT_FALSE(is_operations_csv("job,dp,pp\nST,2,4\n"));
}

TEST(OperationsCsvTest, SendsMeetTheirReceives) {
  const Job job = read(pipeline());
  ASSERT_EQ(job.steps.size(), 1U);
  EXPECT_EQ(job.steps[0].name, "7");
  EXPECT_EQ(job.stages, 2U);
  ASSERT_EQ(job.steps[0].meetings.size(), 2U);
  for (const JobMeeting& meeting : job.steps[0].meetings) {
    EXPECT_TRUE(meeting.message);
    const JobOperation& sent = job.steps[0].operations[meeting.members[0]];
    const JobOperation& received = job.steps[0].operations[meeting.members[1]];
    EXPECT_GT(sent.begin, received.begin);  // Both receives were posted early.
    EXPECT_NE(sent.rank, received.rank);
  }
}

/// A micro-batch through two stages with two chunks of the model each: chunks 0 to 3 in turn, on
/// stages 0, 1, 0, 1, and back.
std::string interleaved() {
  std::string text = OperationRows().text();
  double now = 0;
  const auto add = [&](int stage, const char* type, double begin, double end, int sequence,
                       int chunk, int model_chunk) {
    text += fmt::format("0,{},{},0,{},{},{},{},{},{},{}\n", stage, stage, type, begin, end - begin,
                        sequence, chunk, model_chunk < 0 ? -1 : 0, model_chunk);
  };
  for (int chunk = 0; chunk < 4; ++chunk) {
    add(chunk % 2, "forward-compute", now, now + 1, chunk / 2, chunk / 2, chunk);
    now += 1;
    if (chunk == 3)
      continue;
    add(chunk % 2, "forward-send", now, now + 0.1, chunk / 2, -1, -1);
    add((chunk + 1) % 2, "forward-recv", now - 0.5, now + 0.1, chunk == 2 ? 1 : 0, -1, -1);
    now += 0.1;
  }
  for (int chunk = 3; chunk >= 0; --chunk) {
    add(chunk % 2, "backward-compute", now, now + 2, 1 - chunk / 2, chunk / 2, chunk);
    now += 2;
    if (chunk == 0)
      continue;
    add(chunk % 2, "backward-send", now, now + 0.1, chunk == 1 ? 1 : 0, -1, -1);
    add((chunk + 1) % 2, "backward-recv", now - 0.5, now + 0.1, chunk == 1 ? 1 : 0, -1, -1);
    now += 0.1;
  }
  return text;
}

// The column is optional, and the parts of the model tell as much.
TEST(OperationsCsvTest, ChunksOfARankAreToldWithoutTheirColumn) {
  std::string table = interleaved();
  EXPECT_EQ(read(table).shape.chunks, 2U);
  table.replace(table.find(",mc,"), 4, ",no,");
  EXPECT_EQ(read(table).shape.chunks, 2U);
}

TEST(OperationsCsvTest, MessagesOfInterleavedPipelinesGoRoundTheStages) {
  ImportReport report;
  const Job job = read_operations_csv(interleaved(), "job.csv", {}, report);
  EXPECT_TRUE(report.clean());
  ASSERT_EQ(job.steps[0].meetings.size(), 6U);
  for (const JobMeeting& meeting : job.steps[0].meetings) {
    const JobOperation& sent = job.steps[0].operations[meeting.members[0]];
    const JobOperation& received = job.steps[0].operations[meeting.members[1]];
    EXPECT_EQ((sent.rank + 1) % 2, received.rank);
    EXPECT_NEAR(sent.end.value, received.end.value, 1e-9);
  }
}

/// The table with the last column of each row, gmc, as `count` has it of what it was.
template <typename Count>
std::string counted(const std::string& table, Count count) {
  std::string text;
  for (std::size_t begin = 0; begin < table.size();) {
    const std::size_t end = table.find('\n', begin);
    const std::size_t last = table.rfind(',', end) + 1;
    const std::string chunk = table.substr(last, end - last);
    text += table.substr(begin, last - begin);
    text += chunk == "gmc" || chunk == "-1" ? chunk : std::to_string(count(std::stoi(chunk)));
    text += '\n';
    begin = end + 1;
  }
  return text;
}

/// Meetings and edges.
auto links_of(const Job& job) {
  std::vector<std::vector<std::uint32_t>> meetings;
  for (const JobMeeting& meeting : job.steps[0].meetings)
    meetings.push_back(meeting.members);
  return std::pair(meetings, job.steps[0].edges);
}

// Of a pipeline that is not interleaved each stage has chunk 0 of its own.
TEST(OperationsCsvTest, StagesThatAllHaveChunkNoughtAreLinkedAsWithoutTheColumn) {
  const std::string table = counted(pipeline(), [](int) { return 0; });
  ImportReport report;
  const Job job = read_operations_csv(table, "job.csv", {}, report);
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(job.shape.chunks, 1U);
  EXPECT_EQ(links_of(job), links_of(read(pipeline())));
  std::string without = table;
  without.replace(without.find(",gmc"), 4, ",no");
  EXPECT_EQ(links_of(job), links_of(read(without)));
}

TEST(OperationsCsvTest, ChunksThatEachStageCountsForItselfAreCountedThrough) {
  const std::string table = counted(interleaved(), [](int chunk) { return chunk / 2; });
  const Job job = read(table, {.chunks = 2});
  EXPECT_EQ(job.shape.chunks, 2U);
  EXPECT_EQ(links_of(job), links_of(read(interleaved())));
}

// Counted by stages from the last one.
TEST(OperationsCsvTest, MessagesThatNoPassExplainsAreDoubted) {
  ImportReport report;
  read_operations_csv(counted(pipeline(), [](int chunk) { return 1 - chunk; }), "job.csv", {},
                      report);
  ASSERT_FALSE(report.clean());
  EXPECT_EQ(report.doubtful().at("message that no pass of its rank sends or waits for").count, 4U);
}

TEST(OperationsCsvTest, CollectivesMeetTheirGroup) {
  const Job job = read(MadeJob{.ranks = 3, .steps = 2}.text());
  ASSERT_EQ(job.steps.size(), 2U);
  // The reduce-scatter and the barrier, of three ranks each.
  ASSERT_EQ(job.steps[0].meetings.size(), 2U);
  EXPECT_EQ(job.steps[0].meetings[0].members.size(), 3U);
}

TEST(OperationsCsvTest, AStepThatARankDidNotRecordIsLeftOutAndCounted) {
  OperationRows more;
  more.add(0, 0, 0, 99, "forward-compute", 0, 1, 0, 0);
  const std::string table = MadeJob{.ranks = 2, .steps = 1}.text();
  const std::string row = more.text().substr(more.text().find('\n') + 1);
  ImportReport report;
  const Job job = read_operations_csv(table + row, "job.csv", {}, report);
  EXPECT_EQ(job.steps.size(), 1U);
  ASSERT_EQ(report.skipped().count("step that not all ranks recorded"), 1U);
  EXPECT_EQ(report.skipped().at("step that not all ranks recorded").first, "step 99");
}

TEST(OperationsCsvTest, AnUnknownTypeIsTakenByItsNameAndCounted) {
  OperationRows rows;
  for (const int rank : {0, 1}) {
    rows.add(rank, 0, rank, 0, "router-compute", 0, 1, 0, 0);
    rows.add(rank, 0, rank, 0, "expert-grads-all-reduce", 1, 1);
    rows.add(rank, 0, rank, 0, "mystery", 2, 1);  // It begins and ends together.
  }
  ImportReport report;
  const Job job = read_operations_csv(rows.text(), "job.csv", {}, report);
  EXPECT_EQ(job.doubtful, std::vector<std::string>{"mystery"});
  EXPECT_EQ(report.doubtful().size(), 1U);
  EXPECT_EQ(report.inferred().size(), 2U);
  EXPECT_EQ(job.steps[0].meetings.size(), 1U);
}

TEST(OperationsCsvTest, AMissingPartnerIsCountedAndNobodyWaitsForIt) {
  std::string table = pipeline();
  const std::size_t row = table.find("0,1,1,7,forward-recv");
  table.erase(row, table.find('\n', row) - row + 1);
  ImportReport report;
  const Job job = read_operations_csv(table, "job.csv", {}, report);
  EXPECT_EQ(job.steps[0].meetings.size(), 1U);
  EXPECT_EQ(report.doubtful().at("operation whose partners are not recorded").count, 1U);
}

TEST(OperationsCsvTest, BadLinesAreNamedWithTheirColumn) {
  const std::string good = pipeline();
  const auto with = [&](const std::string& row) { return error_of(good + row); };
  EXPECT_EQ(with("0,0,0,7,optimizer,soon,1,0,0,0,0\n"),
            "job.csv:10: start_ts: expected a number, found \"soon\"");
  EXPECT_EQ(with("0,0,0,7,optimizer,0,-1,0,0,0,0\n"),
            "job.csv:10: duration: expected seconds from 0 on, at most 1e9, found \"-1\"");
  EXPECT_EQ(with("0,0,0,7,optimizer,nan,1,0,0,0,0\n"),
            "job.csv:10: start_ts: expected a number, found \"nan\"");
  EXPECT_EQ(with("0,0,0,7,optimizer,0\n"),
            "job.csv:10: expected 11 cells, as the heading has, found 6");
  EXPECT_EQ(with("0,0,0,7,,0,1,0,0,0,0\n"),
            "job.csv:10: optype: expected the type of an operation, found \"\"");
  EXPECT_EQ(with("0,99999999,0,7,optimizer,0,1,0,0,0,0\n").substr(0, 18), "job.csv:10: stage:");
}

TEST(OperationsCsvTest, AnotherRankNumberAtTheSamePlaceIsCounted) {
  ImportReport report;
  const Job job =
      read_operations_csv(pipeline() + "0,0,5,7,optimizer,0,1,0,0,0,0\n", "job.csv", {}, report);
  EXPECT_EQ(job.ranks.size(), 2U);
  EXPECT_EQ(report.doubtful().begin()->second.first, "job.csv:10");
}

TEST(OperationsCsvTest, MissingColumnsAndRowsAreNamed) {
  EXPECT_EQ(error_of("step,optype,start_ts,duration\n"),
            "job.csv: expected a column dp_rank, found step, optype, start_ts, duration");
  EXPECT_EQ(error_of(OperationRows().text()), "job.csv: expected rows of operations, found none");
}

TEST(OperationsCsvTest, AShapeThatTheTableContradictsIsRefused) {
  EXPECT_EQ(error_of(pipeline(), {.pipeline = 4}),
            "job.csv: expected pp = 4, as the job file says, found 2");
}

TEST(OperationsCsvTest, AJobFileThatContradictsTheRowsIsRefused) {
  const std::string table = MadeJob{}.text();  // 8 ranks, 4 micro-batches, a chunk
  const std::string as_said = ", as the job file says, found ";
  EXPECT_EQ(error_of(table, {.gpus = 1}), "job.csv: expected gpus = 1" + as_said + "8 ranks");
  EXPECT_EQ(error_of(table, {.hosts = {"a"}}),
            "job.csv: expected a rank for each of 1 hosts" + as_said + "8 ranks");
  EXPECT_NE(error_of(table, {.hosts = std::vector<std::string>(11, "a")}), "");
  EXPECT_EQ(error_of(table, {.gpus_per_host = 3}),
            "job.csv: expected hosts of gpus_per_host = 3" + as_said + "8 ranks");
  EXPECT_EQ(error_of(table, {.micro_batches = 3}),
            "job.csv: expected micro_batches = 3" + as_said + "4");
  EXPECT_EQ(error_of(table, {.chunks = 7}), "job.csv: expected vpp = 7" + as_said + "1");
  EXPECT_NE(error_of(table, {.tensor = 1, .context = 2, .gpus = 8}), "");
  // A rank may stand for a group.
  EXPECT_EQ(read(table, {.data = 8, .tensor = 2, .context = 1, .gpus = 16}).gpus, 16U);
  EXPECT_EQ(read(table, {.micro_batches = 4, .gpus = 32, .gpus_per_host = 4}).gpus, 32U);
}

TEST(OperationsCsvTest, PartsThatAreNoneAreNamedWithTheirColumn) {
  const std::string good = pipeline();
  const auto with = [&](const std::string& row) { return error_of(good + row); };
  for (const char* chunk : {"nan", "abc", "1e30", "", "-2", "1.5"})
    for (const char* type : {"optimizer", "forward-compute"})
      EXPECT_EQ(
          with(fmt::format("0,0,0,7,{},0,1,0,{},0,0\n", type, chunk)),
          fmt::format("job.csv:10: mc: expected a whole number from -1 on, found \"{}\"", chunk));
  EXPECT_EQ(with("0,0,0,7,forward-compute,0,1,0,0,-1,0\n"),
            "job.csv:10: mb_id: expected a whole number from 0 on, found \"-1\"");
  EXPECT_EQ(with("0,0,0,7,backward-compute,0,1,0,0,0,-1\n"),
            "job.csv:10: gmc: expected a whole number from 0 on, found \"-1\"");
  EXPECT_EQ(with("0,0,0,7,forward-compute,0,1,0,0,0,70000\n"),
            "job.csv:10: gmc: expected a number of at most 60000, found \"70000\"");
}

}  // namespace
}  // namespace stepcast
