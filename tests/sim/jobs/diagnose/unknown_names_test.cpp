// Tables with operations of unknown names: what each is, by its times.
#include <algorithm>
#include <functional>
#include <map>

#include <gtest/gtest.h>

#include "sim/jobs/diagnose/diagnosis.hpp"
#include "tests/support/made_job.hpp"
#include "tests/support/published_jobs.hpp"
#include "traces/catalog.hpp"
#include "traces/job/job_formats.hpp"
#include "traces/job/operation_types.hpp"

namespace stepcast {
namespace {

struct ReadTable {
  Job job;
  ImportReport report;
};

ReadTable read_table(const OperationRows& rows) {
  ReadTable read;
  read.job = read_operations_csv(rows.text(), "job.csv", {}, read.report);
  return read;
}

const JobKind& kind_called(const Job& job, const std::string& name) {
  return *std::ranges::find(job.kinds, name, &JobKind::name);
}

/// Of eight ranks: 48 ms forward, 96 ms backward, each up to 0.4 % longer, an operation that ends
/// 30 ms after the last of its group came, and one of 20 ms that each rank ends by itself.
struct UnknownNames {
  int ranks = 8;
  int steps = 12;
  std::function<double(int rank, int step)> slow = [](int, int) { return 1.0; };
  std::function<double(int rank, int step)> slow_behind = [](int, int) { return 1.0; };
  std::function<int(int rank)> group = [](int) { return 0; };
  std::function<double(int rank)> clock = [](int) { return 0.0; };
  std::function<bool(int rank)> takes_part = [](int) { return true; };
  double noise = 0.004;

  OperationRows rows() const {
    OperationRows rows;
    for (int step = 0; step < steps; ++step)
      add_step(step, rows);
    return rows;
  }

 private:
  void add_step(int step, OperationRows& rows) const {
    std::map<int, double> last;
    std::vector<double> came;
    for (int rank = 0; rank < ranks; ++rank) {
      const double forward = 0.048 * slow(rank, step) * (1 + noise * scatter(rank, step, 1));
      const double backward = 0.096 * slow(rank, step) * (1 + noise * scatter(rank, step, 2));
      rows.add(rank, 0, rank, step, "forward-compute", clock(rank), forward, 0, 0);
      rows.add(rank, 0, rank, step, "backward-compute", clock(rank) + forward, backward, 0, 0);
      came.push_back(forward + backward);
      last[group(rank)] = std::max(last[group(rank)], came.back());
    }
    for (int rank = 0; rank < ranks; ++rank) {
      const double begin = came[static_cast<std::size_t>(rank)];
      double end = begin;
      if (takes_part(rank)) {
        end = last[group(rank)] + 0.030;
        rows.add(rank, 0, rank, step, "grads-sync", clock(rank) + begin, end - begin);
      }
      rows.add(rank, 0, rank, step, "ema-weights", clock(rank) + end,
               0.020 * slow_behind(rank, step) * (1 + noise * scatter(rank, step, 3)));
    }
  }
};

double fifth_is_slow(int rank, int /*step*/) {
  return rank == 5 ? 1.5 : 1;
}

TEST(TypesByTimes, WhatAllRanksEndTogetherIsACollective) {
  const ReadTable read = read_table(UnknownNames{.slow = fifth_is_slow}.rows());
  EXPECT_EQ(kind_called(read.job, "grads-sync").work, JobWork::Transfer);
  EXPECT_EQ(kind_called(read.job, "ema-weights").work, JobWork::Compute);
  ASSERT_EQ(read.job.steps[0].meetings.size(), 1U);
  EXPECT_EQ(read.job.steps[0].meetings[0].members.size(), 8U);
  EXPECT_TRUE(read.job.doubtful.empty());
  const Diagnosis diagnosis = diagnose(read.job);
  EXPECT_EQ(diagnosis.verdict.subject, "rank 5") << diagnosis.verdict.text;
}

// The rank that computes longest is another one in each step: the collective is one all the same.
TEST(TypesByTimes, ACollectiveIsOneWhoeverComesLast) {
  const ReadTable read = read_table({UnknownNames{
      .steps = 16, .slow = [](int rank, int step) {
        return rank == step % 8 ? 1.5 : 1.0;
      }}.rows()});
  EXPECT_EQ(kind_called(read.job, "grads-sync").work, JobWork::Transfer);
  EXPECT_EQ(kind_called(read.job, "ema-weights").work, JobWork::Compute);
}

TEST(TypesByTimes, ACollectiveIsOneWhereNoRankIsSlow) {
  const ReadTable read = read_table(UnknownNames{}.rows());
  EXPECT_EQ(kind_called(read.job, "grads-sync").work, JobWork::Transfer);
  EXPECT_EQ(kind_called(read.job, "ema-weights").work, JobWork::Compute);
  EXPECT_EQ(diagnose(read.job).verdict.kind, VerdictKind::None);
}

// Rank 5 takes 30 ms instead of 20 for what it computes behind the collective, in every step: all
// begin it together and the slow rank ends it late, so it is no collective, and the rank is slow.
TEST(TypesByTimes, ComputationOfUnknownNameStaysComputation) {
  const ReadTable read = read_table(
      {UnknownNames{.slow_behind = [](int rank, int) { return rank == 5 ? 2.5 : 1.0; }}.rows()});
  EXPECT_EQ(kind_called(read.job, "ema-weights").work, JobWork::Compute);
  EXPECT_TRUE(read.job.doubtful.empty());
  const Diagnosis diagnosis = diagnose(read.job);
  EXPECT_EQ(diagnosis.verdict.subject, "rank 5") << diagnosis.verdict.text;
}

// The clocks of ranks are apart by more than the step takes: what begins and ends move by from
// step to step tells what ends together.
TEST(TypesByTimes, ClocksMayBeApart) {
  const ReadTable read = read_table(
      {UnknownNames{.slow = fifth_is_slow, .clock = [](int rank) { return 3.0 * rank; }}.rows()});
  EXPECT_EQ(kind_called(read.job, "grads-sync").work, JobWork::Transfer);
  EXPECT_EQ(kind_called(read.job, "ema-weights").work, JobWork::Compute);
}

// Ranks 0 to 3 and 4 to 7 each meet: rank 5 holds up the latter only.
TEST(TypesByTimes, AGroupOfNeighboursMeets) {
  const ReadTable read = read_table(
      {UnknownNames{.slow = fifth_is_slow, .group = [](int rank) { return rank / 4; }}.rows()});
  EXPECT_EQ(kind_called(read.job, "grads-sync").work, JobWork::Transfer);
  ASSERT_EQ(read.job.steps[0].meetings.size(), 2U);
  EXPECT_EQ(read.job.steps[0].meetings[0].members.size(), 4U);
}

TEST(TypesByTimes, RanksAtEqualDistancesMeet) {
  const ReadTable read = read_table(
      {UnknownNames{.slow = fifth_is_slow, .group = [](int rank) { return rank % 4; }}.rows()});
  EXPECT_EQ(kind_called(read.job, "grads-sync").work, JobWork::Transfer);
  EXPECT_EQ(read.job.steps[0].meetings.size(), 4U);
}

// Ranks 0, 3 and 5 meet, and the other five: no layout would have it so.
TEST(TypesByTimes, GroupsWithoutAnOrderAreToldByTheirEnds) {
  const ReadTable read = read_table(UnknownNames{
      .slow = fifth_is_slow, .group = [](int rank) {
        return rank == 0 || rank == 3 || rank == 5 ? 0 : 1;
      }}.rows());
  EXPECT_EQ(kind_called(read.job, "grads-sync").work, JobWork::Transfer);
  ASSERT_EQ(read.job.steps[0].meetings.size(), 2U);
  EXPECT_EQ(diagnose(read.job).verdict.subject, "rank 5");
}

// Two ranks and three steps: ends that agree to a fiftieth of the begins are no chance.
TEST(TypesByTimes, FewRanksTellWhatIsClear) {
  const ReadTable read = read_table(UnknownNames{
      .ranks = 2, .steps = 3, .slow = [](int rank, int) {
        return rank == 1 ? 1.5 : 1.0;
      }}.rows());
  EXPECT_EQ(kind_called(read.job, "grads-sync").work, JobWork::Transfer);
  EXPECT_EQ(kind_called(read.job, "ema-weights").work, JobWork::Compute);
  EXPECT_TRUE(read.job.doubtful.empty());
}

TEST(TypesByTimes, OnlyRanksThatHaveItTakePart) {
  const ReadTable read = read_table({UnknownNames{
      .slow = fifth_is_slow, .takes_part = [](int rank) {
        return rank > 3;
      }}.rows()});
  EXPECT_EQ(kind_called(read.job, "grads-sync").work, JobWork::Transfer);
  ASSERT_EQ(read.job.steps[0].meetings.size(), 1U);
  EXPECT_EQ(read.job.steps[0].meetings[0].members.size(), 4U);
}

// All begin and end at the same instants, in every step: nothing tells.
TEST(TypesByTimes, TheVerdictBeginsWithWhatNothingTells) {
  const ReadTable read = read_table(UnknownNames{.noise = 0}.rows());
  EXPECT_EQ(read.job.doubtful, (std::vector<std::string>{"grads-sync", "ema-weights"}));
  EXPECT_EQ(diagnose(read.job).verdict.text.rfind("Doubtful, as neither names nor times", 0), 0U);
}

// Two stages whose messages have unknown names: stage 1 waits 40 ms in "acts-in" for what stage 0
// sends, and stage 0 in "errors-in".
TEST(TypesByTimes, MessagesAreToldByTheirPairs) {
  OperationRows rows;
  for (int step = 0; step < 12; ++step)
    for (int data = 0; data < 2; ++data) {
      const double forward = 0.040 * (1 + 0.1 * scatter(step, data, 1));
      const double backward = 0.060 * (1 + 0.1 * scatter(step, data, 2));
      const double turned = 2 * forward + 0.001 + backward;
      rows.add(data, 0, data, step, "forward-compute", 0, forward, 0, 0);
      rows.add(data, 0, data, step, "acts-out", forward, 0.001);
      rows.add(data, 1, 2 + data, step, "acts-in", 0, forward + 0.001);
      rows.add(data, 1, 2 + data, step, "forward-compute", forward + 0.001, forward, 0, 0);
      rows.add(data, 1, 2 + data, step, "backward-compute", 2 * forward + 0.001, backward, 0, 0);
      rows.add(data, 1, 2 + data, step, "errors-out", turned, 0.001);
      rows.add(data, 0, data, step, "errors-in", forward + 0.001, turned - forward);
      rows.add(data, 0, data, step, "backward-compute", turned + 0.001, backward, 0, 0);
    }
  const ReadTable read = read_table(rows);
  ASSERT_EQ(read.job.steps[0].meetings.size(), 4U);
  for (const JobMeeting& meeting : read.job.steps[0].meetings)
    EXPECT_TRUE(meeting.message);
  EXPECT_TRUE(read.job.doubtful.empty());
}

// The made pipeline of the documents with its names replaced. Receives begin with their sends, and
// the reduce-scatters of both stages move by as much from step to step, 20 ms apart.
TEST(TypesByTimes, APipelineOfUnknownNamesIsDiagnosedAlike) {
  std::string text = text_of(file_stream(data_root() / "tests/golden/data/pipeline.csv"));
  for (const auto& [name, other] :
       {std::pair("forward-send", "acts-out"), std::pair("forward-recv", "acts-in"),
        std::pair("backward-send", "errs-out"), std::pair("backward-recv", "errs-in"),
        std::pair("grads-reduce-scatter", "unknown-a")})
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;)
      text.replace(at, std::string(name).size(), other);
  ImportReport report;
  const Job job = read_operations_csv(text, "made.csv", {}, report);
  const auto messages = std::ranges::count(job.steps[0].meetings, true, &JobMeeting::message);
  // Four micro-batches forward and backward between two stages of two copies.
  EXPECT_EQ(messages, 16);
  const auto sums_of_two = std::ranges::count_if(job.steps[0].meetings, [&](const JobMeeting& met) {
    const JobOperation& done = job.steps[0].operations[met.members.front()];
    return job.kinds[done.kind].name == "unknown-a" && met.members.size() == 2;
  });
  EXPECT_EQ(sums_of_two, 2);
  EXPECT_EQ(diagnose(job).verdict.subject, "stage 1");
}

TEST(TypesByTimes, NamesTellMessagesAndCollectives) {
  EXPECT_EQ(operation_type_of("recv-fwd").peers, OperationPeers::PreviousReceive);
  EXPECT_EQ(operation_type_of("send_backward").peers, OperationPeers::PreviousSend);
  EXPECT_EQ(operation_type_of("ncclAllReduce").work, JobWork::Transfer);
  EXPECT_EQ(operation_type_of("AllGather").gathers, true);
  EXPECT_EQ(operation_type_of("router-compute").work, JobWork::Compute);
  EXPECT_EQ(operation_type_of("router-compute").evidence, TypeEvidence::Name);
}

// The published jobs' names replaced: each collective is found again by its times alone.
TEST(TypesByTimes, CollectivesOfAPublishedJobAreFoundByTheirTimes) {
  const std::filesystem::path path = jobs_folder() / "ST.csv.gz";
  if (!std::filesystem::exists(path))
    GTEST_SKIP() << path << " is not there";
  std::string text = text_of(file_stream(path));
  for (const auto& [name, other] : {std::pair("grads-reduce-scatter", "unknown-a"),
                                    std::pair("optimizer-clip-main-grad", "unknown-b"),
                                    std::pair("params-all-gather", "unknown-c")})
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;)
      text.replace(at, std::string(name).size(), other);
  ImportReport report;
  const Job job = read_operations_csv(text, "ST.csv", {}, report);
  EXPECT_EQ(kind_called(job, "unknown-b").work, JobWork::Transfer);
  EXPECT_EQ(kind_called(job, "optimizer").work, JobWork::Compute);
}

}  // namespace
}  // namespace stepcast
