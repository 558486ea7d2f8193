// Jobs whose communication libraries recorded servers and chunks, with known truth.
#include <gtest/gtest.h>

#include "sim/jobs/diagnose/diagnosis.hpp"
#include "sim/jobs/diagnose/recorded_slow_downs.hpp"
#include "sim/jobs/job_replay.hpp"
#include "tests/support/input_error.hpp"
#include "tests/support/made_communication_jobs.hpp"
#include "traces/job/job_formats.hpp"

namespace stepcast {
namespace {

/// The last step with what a rank does `factor` times as long.
double last_step_with(const Job& job, const std::function<double(const JobOperation&)>& factor) {
  const JobReplay replay(job);
  return replay
      .replay_with([&](const ReplayedOperation& of) { return of.actual * factor(of.done); })
      .back();
}

bool computes(const Job& job, const JobOperation& done) {
  return job.kinds[done.kind].part == "computation";
}

TEST(ServerJobTest, ARecordedStepIsReplayed) {
  const MadeServers made;
  const Job job = job_of(made);
  ASSERT_EQ(job.steps.size(), 3U);  // Before the first nothing was recorded.
  ASSERT_EQ(job.ranks.size(), 5U);
  EXPECT_EQ(job.gpus, 3U);
  EXPECT_EQ(label_of(job.ranks[4]), "server 1");
  const Diagnosis diagnosis = diagnose(job);
  EXPECT_NEAR(diagnosis.recorded_step.value, made.files().last_step * 1e-6, 1e-8);
  EXPECT_LT(diagnosis.step_error, 1e-6);
  EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::None) << diagnosis.verdict.text;
}

TEST(ServerJobTest, ASlowWorkerIsNamed) {
  MadeServers made;
  made.computing = [](int worker) { return worker == 2 ? 3500.0 : 2000.0; };
  const Diagnosis diagnosis = diagnose(job_of(made));
  EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::Worker) << diagnosis.verdict.text;
  EXPECT_EQ(diagnosis.verdict.subject, "rank 2");
}

TEST(ServerJobTest, ASlowServerIsNamed) {
  MadeServers made;
  made.summing = [](int server) { return server == 1 ? 3000.0 : 300.0; };
  const Diagnosis diagnosis = diagnose(job_of(made));
  EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::Worker) << diagnosis.verdict.text;
  EXPECT_EQ(diagnosis.verdict.subject, "server 1");
}

// Worker 0 came last to every sum. As fast as it could be it comes first, and no sum waits for what
// came before it in the recording: that would be a sum of 300 us more. Clocks are known to 10 us,
// half of what a message without data takes.
TEST(ServerJobTest, SumsTakePushesAsTheyArrive) {
  MadeServers made;
  made.partitions = 1;
  made.servers = 1;
  made.computing = [](int worker) { return 10'000.0 + 1000 * worker; };
  const double even = made.files().last_step * 1e-6;
  made.computing = [](int worker) { return worker == 0 ? 20'000.0 : 10'000.0 + 1000 * worker; };
  const Job job = job_of(made);
  EXPECT_NEAR(last_step_with(job,
                             [&](const JobOperation& done) {
                               return done.rank == 0 && computes(job, done) ? 0.5 : 1.0;
                             }),
              even, 11e-6);
}

// Answers come 20 us later, on the way to a server; data on the way back at once.
TEST(ServerJobTest, ClocksOfServersComeBack) {
  MadeServers made;
  made.computing = [](int worker) { return worker == 2 ? 3500.0 : 2000.0; };
  const double slowdown = diagnose(job_of(made)).slowdown;
  made.offset = [](int clock) { return 50'000.0 * (clock * 3 % 5 - 2) / 2; };
  const Job job = job_of(made);
  ASSERT_EQ(job.clocks.hosts.size(), 5U);
  for (int clock = 0; clock < 5; ++clock)
    EXPECT_NEAR(job.clocks.hosts[static_cast<std::size_t>(clock)].offset.value,
                (made.offset(clock) - made.offset(0)) * 1e-6, 11e-6);
  const Diagnosis diagnosis = diagnose(job);
  EXPECT_NEAR(diagnosis.slowdown, slowdown, 0.002);
  EXPECT_EQ(diagnosis.verdict.subject, "rank 2");
}

TEST(ServerJobTest, SlowDownsAreOfWorkers) {
  const SlowDown::Recorded found = slow_downs_of(job_of(MadeServers()));
  ASSERT_EQ(found.steps.front().size(), 3U);
  for (const double factor : found.steps.front())
    EXPECT_NEAR(factor, 1, 1e-6);
}

TEST(ServerJobTest, MessagesAloneAreRefused) {
  ImportReport report;
  const MadeServers::Files files = MadeServers().files();
  EXPECT_EQ(input_error_of([&] {
              read_byteps_server_job({text_stream(files.messages, "comm_timeline.json")}, {},
                                     report);
            }),
            "comm_timeline.json: expected messages (comm_timeline.json) and what servers do "
            "(server_timeline.json), found no copies and sums of servers");
}

TEST(RingJobTest, PhasesOfBuffersAreReplayed) {
  const MadeRings made;
  const Job job = job_of(made, false);
  ASSERT_EQ(job.steps.size(), 3U);
  const Diagnosis diagnosis = diagnose(job);
  EXPECT_NEAR(diagnosis.recorded_step.value, made.files().last_step * 1e-6, 1e-8);
  EXPECT_LT(diagnosis.step_error, 1e-6);
  const auto reduced = std::ranges::find(job.kinds, "NCCL_ALLREDUCE", &JobKind::part);
  ASSERT_NE(reduced, job.kinds.end());
  EXPECT_EQ(reduced->size, Bytes{2.0 * 256 * 10 * 4});
}

TEST(RingJobTest, ChunksAreReplayed) {
  MadeRings made;
  made.offset = [](int rank) { return 20'000.0 * rank; };
  const Job job = job_of(made);
  const Diagnosis diagnosis = diagnose(job);
  EXPECT_NEAR(diagnosis.recorded_step.value, made.files().last_step * 1e-6, 2e-6);
  EXPECT_LT(diagnosis.step_error, 1e-3);
  // Of 4 ranks 6 sends, 6 receives, each met.
  const auto is_message = [](const JobMeeting& meeting) { return meeting.message; };
  EXPECT_EQ(std::ranges::count_if(job.steps[0].meetings, is_message), 2 * 4 * 6);
}

// A rank that sends slowly holds up the ring: 6 x 800 us instead of 6 x 200. Its chunks as long as
// the others' make the step as long as theirs.
TEST(RingJobTest, ASlowSenderIsFoundByItsChunks) {
  MadeRings made;
  const double even = made.files().last_step * 1e-6;
  made.sending = [](int from) { return from == 2 ? 800.0 : 200.0; };
  const Job job = job_of(made);
  const Diagnosis diagnosis = diagnose(job);
  EXPECT_LT(diagnosis.step_error, 0.01);
  EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::Network) << diagnosis.verdict.text;
  EXPECT_EQ(diagnosis.verdict.subject, "link of rank 1 and rank 2");  // 2 sends to 1.
  EXPECT_NEAR(diagnosis.ideal_step.value, even, 0.01 * even);
}

// A rank without them would reduce the whole where the others reduce pieces.
TEST(RingJobTest, ChunksOfSomeRanksAreNotTaken) {
  const MadeRings made;
  ImportReport report;
  const Job job = read_horovod_job(text_stream(made.files().timeline, "timeline.json"), {}, report,
                                   {text_stream(made.files().chunks[0], "0/comm_detail.json")});
  EXPECT_EQ(report.doubtful().at("chunks that are not taken, as a rank has none").count, 1U);
  EXPECT_EQ(std::ranges::find(job.kinds, "SEND", &JobKind::part), job.kinds.end());
}

TEST(RingJobTest, ChunksOfOtherAllReducesAreRefused) {
  const MadeRings made;
  MadeRings longer = made;
  longer.steps = 5;
  const MadeRings::Files files = longer.files();
  ImportReport report;
  std::vector<TraceStream> chunks;
  for (std::size_t rank = 0; rank < 4; ++rank)
    chunks.push_back(text_stream(files.chunks[rank], fmt::format("{}/comm_detail.json", rank)));
  EXPECT_EQ(input_error_of([&] {
              read_horovod_job(text_stream(made.files().timeline, "timeline.json"), {}, report,
                               chunks);
            }),
            "timeline.json: rank 0: expected chunks of 8 all-reduces, as the timeline holds, found "
            "10");
}

}  // namespace
}  // namespace stepcast
