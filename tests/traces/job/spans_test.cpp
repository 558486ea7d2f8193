// Timelines of communication libraries, written here with known times.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "traces/job/job_formats.hpp"

namespace stepcast {
namespace {

/// Two tensors of three ranks, in microseconds: rank 2 is late by 300. A step of 10,000.
std::string horovod_timeline(int steps, int ranks = 3) {
  std::string text = "[\n";
  for (int tensor = 0; tensor < 2; ++tensor)
    text += fmt::format(
        R"({{"name": "process_name", "ph": "M", "pid": {0}, "args": {{"name": "grad.{0}"}}}},)"
        "\n",
        tensor);
  const auto event = [&](const char* phase, const std::string& name, int tensor, int time) {
    text += fmt::format(R"({{"ph": "{}", "name": "{}", "ts": {}, "pid": {}}},)"
                        "\n",
                        phase, name, time, tensor);
  };
  for (int step = 0; step < steps; ++step)
    for (int tensor = 0; tensor < 2; ++tensor) {
      const int begin = 10'000 * step + 4000 * tensor + 1000;
      event("B", "NEGOTIATE_ALLREDUCE", tensor, begin);
      for (int rank = 0; rank < ranks; ++rank)
        event("X", std::to_string(rank), tensor, begin + (rank == 2 ? 300 : 0));
      event("E", "", tensor, begin + 400);
      event("B", "ALLREDUCE", tensor, begin + 400);
      event("B", "NCCL_ALLREDUCE", tensor, begin + 500);
      event("E", "", tensor, begin + 900);
      event("E", "", tensor, begin + 1000);
    }
  return text;
}

Job horovod(const std::string& text, ImportReport& report) {
  Job job = read_horovod_job(text_stream(text, "timeline.json"), {}, report);
  job.clocks = put_on_one_clock(job);
  return job;
}

TEST(HorovodJobTest, MarksOfNegotiationsTellAllRanks) {
  ImportReport report;
  const Job job = horovod(horovod_timeline(4), report);
  ASSERT_EQ(job.ranks.size(), 3U);
  ASSERT_EQ(job.steps.size(), 3U);  // Before the first one nothing was recorded.
  EXPECT_EQ(report.skipped().at("step before which nothing was recorded").count, 1U);
  EXPECT_EQ(job.steps[0].meetings.size(), 4U);  // Negotiations and operations of two tensors.
  for (const JobMeeting& meeting : job.steps[0].meetings)
    EXPECT_EQ(meeting.members.size(), 3U);
}

// From the end of the last operation before (at 5900 of 10,000) to the first mark 5.1 ms, on rank 2
// 5.4 ms; the negotiation lasts from the mark on, the operation from 100 us behind its end.
TEST(HorovodJobTest, ComputationLeadsUpToTheMarks) {
  ImportReport report;
  const Job job = horovod(horovod_timeline(3), report);
  for (const JobOperation& done : job.steps[0].operations) {
    const JobKind& kind = job.kinds[done.kind];
    if (kind.name == "computation up to negotiation of grad.0") {
      EXPECT_NEAR((done.end - done.begin).value, done.rank == 2 ? 0.0054 : 0.0051, 1e-9);
    } else if (kind.name == "negotiation of grad.0") {
      EXPECT_NEAR((done.end - done.begin).value, done.rank == 2 ? 0.0001 : 0.0004, 1e-9);
    } else if (kind.name == "NCCL_ALLREDUCE of grad.0") {
      EXPECT_NEAR((done.end - done.begin).value, 0.0004, 1e-9);
    }
  }
}

TEST(HorovodJobTest, ATimelineThatEndsEarlyIsReadAsFarAsItGoes) {
  ImportReport report;
  const std::string text = horovod_timeline(4);
  EXPECT_EQ(horovod(text.substr(0, text.size() - 300), report).steps.size(), 2U);
  EXPECT_EQ(report.skipped().at("tensor whose operation has no end").count, 1U);
}

// All that it tells is who was late: rank 2, by 300 us.
TEST(HorovodJobTest, TheFirstStepAloneIsRefusedWithWhatItTells) {
  ImportReport report;
  const std::string text = horovod_timeline(1);
  EXPECT_EQ(input_error_of([&] { horovod(text, report); }),
            "timeline.json: expected two steps, as nothing says what led up to the first; found "
            "the first alone, in which 2 of 2 tensors were reduced and rank 2 was ready last, 300 "
            "us behind rank 0 in the median of 2 tensors");
  const std::string error =
      input_error_of([&] { horovod(text.substr(0, text.size() - 150), report); });
  EXPECT_NE(error.find("in which 1 of 2 tensors were reduced and rank 2"), std::string::npos)
      << error;
}

TEST(HorovodJobTest, ATimelineOfTwoStepsHasOneToDiagnose) {
  ImportReport report;
  EXPECT_EQ(horovod(horovod_timeline(2), report).steps.size(), 1U);
}

TEST(HorovodJobTest, ATimelineWithoutMarksIsRefused) {
  ImportReport report;
  EXPECT_EQ(input_error_of([&] { horovod(horovod_timeline(3, 0), report); }),
            "timeline.json: expected negotiations with a mark of each rank, found none; write the "
            "timeline with HOROVOD_TIMELINE");
}

/// A partition of a tensor is pushed in 1 ms and pulled in 2 ms; rank 1 pushes half a millisecond
/// later.
std::string comm_json(int rank, int steps) {
  std::string text = R"({"traceEvents": [)";
  const auto event = [&](const char* stage, int key, int begin, int duration) {
    text += fmt::format(
        R"({}{{"ph": "X", "pid": "Comm.gradient_0", "name": "Comm.gradient_0{}", "tid": "{}", "ts": {}, "dur": {}, "args": {{"name": "Comm.gradient_0"}}}})",
        text.back() == '[' ? "" : ",\n", stage, key, begin, duration);
  };
  for (int step = 0; step < steps; ++step)
    for (int key = 0; key < 2; ++key) {
      const int begin = 20'000 * step + 5000 * key + 1000 + 500 * rank;
      event(".PUSH", key, begin, 1000);
      event(".PULL", key, begin + 1000, rank == 0 ? 2500 : 2000);
    }
  return text + R"(], "displayTimeUnit": "ms"})";
}

Job byteps(const std::vector<std::string>& texts, ImportReport& report,
           const std::vector<std::string>& names) {
  std::vector<TraceStream> files;
  for (std::size_t i = 0; i < texts.size(); ++i)
    files.push_back(text_stream(texts[i], names[i]));
  Job job = read_byteps_job(files, {}, report);
  job.clocks = put_on_one_clock(job);
  return job;
}

TEST(BytepsJobTest, PullsOfAPartitionMeet) {
  ImportReport report;
  const Job job =
      byteps({comm_json(0, 3), comm_json(1, 3)}, report, {"0/comm.json", "1/comm.json"});
  ASSERT_EQ(job.steps.size(), 2U);
  ASSERT_EQ(job.steps[0].meetings.size(), 2U);
  const JobStep& step = job.steps[0];
  for (const JobMeeting& meeting : step.meetings)
    for (const std::uint32_t member : meeting.members)
      EXPECT_EQ(job.kinds[step.operations[member].kind].part, "PULL");
  // A pull follows its own push.
  for (const auto& [before, after] : step.edges)
    if (job.kinds[step.operations[after].kind].part == "PULL") {
      EXPECT_EQ(job.kinds[step.operations[before].kind].part, "PUSH");
    }
}

// A push of its second step is lost: those behind it were counted to one step too early, so that
// steps overlapped and the host was blamed.
TEST(BytepsJobTest, ALostEventDoesNotMoveThoseBehindIt) {
  std::string lossy = comm_json(1, 6);
  lossy.replace(lossy.find("Comm.gradient_0.PUSH\", \"tid\": \"1\", \"ts\": 26500"), 20,
                "Comm.gradient_0.LOST");
  ImportReport report;
  const Job job = byteps({comm_json(0, 6), lossy}, report, {"0/comm.json", "1/comm.json"});
  ASSERT_GE(job.steps.size(), 3U);
  for (const JobStep& step : job.steps)
    for (const JobOperation& done : step.operations)
      EXPECT_LT(done.end.value, 0.021) << step.name;
}

TEST(BytepsJobTest, TwoFilesOfOneRankAreRefused) {
  ImportReport report;
  EXPECT_EQ(
      input_error_of([&] {
        byteps({comm_json(0, 3), comm_json(1, 3)}, report, {"a/0/comm.json", "b/0/comm.json"});
      }),
      "b/0/comm.json: expected another rank than that of a/0/comm.json, found 0 for both");
}

TEST(BytepsJobTest, RanksOfTwoJobsAreRefused) {
  ImportReport report;
  std::string other = comm_json(1, 3);
  for (std::size_t at = other.find("gradient_0"); at != std::string::npos;
       at = other.find("gradient_0", at + 1))
    other.replace(at, 10, "gradient_7");
  EXPECT_EQ(input_error_of([&] {
              byteps({comm_json(0, 3), other}, report, {"0/comm.json", "1/comm.json"});
            }),
            "1/comm.json: expected the partitions of 0/comm.json, as ranks of one job have, found "
            "\"Comm.gradient_7[0]\"");
}

// A step of rank 1 a minute off, as after its clock was set, is put right: offsets are found for
// each step where one for all does not fit.
TEST(BytepsJobTest, AClockThatJumpsIsNoCrash) {
  ImportReport report;
  std::string jumped = comm_json(1, 4);
  jumped.replace(jumped.find("\"ts\": 61500"), 11, "\"ts\": 91500");
  const Job job = byteps({comm_json(0, 4), jumped}, report, {"0/comm.json", "1/comm.json"});
  for (const JobStep& step : job.steps)
    for (const JobOperation& done : step.operations)
      EXPECT_LE(done.begin, done.end);
}

TEST(BytepsJobTest, OtherStagesAreCountedAndNoStagesAreRefused) {
  ImportReport report;
  EXPECT_EQ(
      input_error_of([&] {
        byteps(
            {R"({"traceEvents": [{"ph": "X", "pid": "Comm.a", "tid": "1", "name": "x.y", "ts": 1, "dur": 1}]})"},
            report, {"comm.json"});
      }),
      "comm.json: expected communications, found none");
  EXPECT_EQ(report.skipped().at("event that is no stage of a partition").count, 1U);
}

}  // namespace
}  // namespace stepcast
