#include "sim/jobs/diagnose/diagnosis.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "sim/jobs/job_replay.hpp"
#include "tests/support/input_error.hpp"
#include "tests/support/made_job.hpp"
#include "tests/support/table_job.hpp"
#include "traces/job/job_formats.hpp"

namespace stepcast {
namespace {

Diagnosis diagnosis_of(const std::string& text) {
  return diagnose(table_job(text));
}

double usual(bool forward) {
  return forward ? 0.010 : 0.020;
}

/// A few per mille that differ everywhere.
double jitter(int rank, int step, int batch, bool forward) {
  return usual(forward) * (1 + 0.004 * scatter(rank, step, 2 * batch + (forward ? 1 : 0)));
}

// Four micro-batches of 30 ms, of which rank 5's take half as long again: a step is 4 x 45 ms and
// 4 + 1 + 2 ms behind it. Ideal are passes of the mean: 120 ms x (7 + 1.5) / 8 + 7 ms = 134.5 ms.
TEST(DiagnosisTest, ASlowRankIsNamedWithWhatItCosts) {
  MadeJob made;
  made.pass = [](int rank, int /*step*/, int /*batch*/, bool forward) {
    return usual(forward) * (rank == 5 ? 1.5 : 1);
  };
  const Diagnosis diagnosis = diagnosis_of(made.text());
  EXPECT_NEAR(diagnosis.recorded_step.value, 0.187, 1e-6);
  EXPECT_NEAR(diagnosis.simulated_step.value, 0.187, 1e-6);
  EXPECT_NEAR(diagnosis.ideal_step.value, 0.1345, 1e-6);
  EXPECT_NEAR(diagnosis.slowdown, 0.187 / 0.1345, 1e-5);
  EXPECT_NEAR(diagnosis.by_rank[5].slowdown, 0.187 / 0.1345, 1e-5);
  EXPECT_NEAR(diagnosis.by_rank[0].slowdown, 1, 1e-5);
  EXPECT_NEAR(*diagnosis.worst_ranks.share, 1, 1e-5);
  EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::Worker);
  EXPECT_EQ(diagnosis.verdict.subject, "rank 5");
  // All others wait 60 ms for it in the reduce-scatter.
  EXPECT_NEAR(diagnosis.uses[5].holding.value, 0.060, 1e-6);
  EXPECT_NEAR(diagnosis.uses[0].waiting.value, 0.060, 1e-6);
  // Its passes; what comes behind the reduce-scatter is as long on all.
  EXPECT_GE(diagnosis.uses[5].on_path.value, 0.180 - 1e-6);
  EXPECT_FALSE(diagnosis.last_stage.share);
}

// The same ranks are slow, but others in each step.
TEST(DiagnosisTest, NobodyIsBlamedForWhatHitsAnotherRankInEachStep) {
  MadeJob made{.steps = 32};
  made.pass = [](int rank, int step, int /*batch*/, bool forward) {
    return usual(forward) * (rank == step % 8 ? 1.5 : 1);
  };
  EXPECT_NE(diagnosis_of(made.text()).verdict.kind, VerdictKind::Worker);
}

TEST(DiagnosisTest, AnEvenJobHasNoVerdict) {
  MadeJob made;
  made.pass = jitter;
  const Diagnosis diagnosis = diagnosis_of(made.text());
  EXPECT_LT(diagnosis.slowdown, 1.01);
  EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::None);
}

// Sequence lengths: single micro-batches take up to twice as long, forward and backward.
TEST(DiagnosisTest, UnevenMicroBatchesAreTheData) {
  MadeJob made{.steps = 24};
  made.pass = [](int rank, int step, int batch, bool forward) {
    const double length = 1 + scatter(rank, step, batch);
    return jitter(rank, step, batch, forward) * length;
  };
  const Diagnosis diagnosis = diagnosis_of(made.text());
  EXPECT_GT(diagnosis.slowdown, 1.1);
  EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::Data) << diagnosis.verdict.text;
}

// Garbage collection stops the host now and then: a forward pass takes 80 ms longer.
TEST(DiagnosisTest, PausesInSingleForwardPassesAreTheHost) {
  MadeJob made{.steps = 24};
  made.pass = [](int rank, int step, int batch, bool forward) {
    const bool paused = forward && rank == step * 5 % 8 && batch == step % 4;
    return jitter(rank, step, batch, forward) + (paused ? 0.080 : 0);
  };
  const Diagnosis diagnosis = diagnosis_of(made.text());
  EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::Host) << diagnosis.verdict.text;
}

// The same between passes: 60 ms in every step, on another rank each time.
TEST(DiagnosisTest, PausesBetweenPassesOfOneRankAtATimeAreTheHost) {
  MadeJob made{.steps = 24, .launch = 0.0005};
  made.pass = jitter;
  made.pause = [](int rank, int step, int batch) {
    return rank == step * 5 % 8 && batch == 1 + step % 3 ? 0.060 : 0;
  };
  const Diagnosis diagnosis = diagnosis_of(made.text());
  EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::Host);
  EXPECT_NE(diagnosis.verdict.text.find("garbage collection, for example): 24 times a rank stands "
                                        "still for up to 60.5 ms, now one and now another."),
            std::string::npos)
      << diagnosis.verdict.text;
}

// In steps 3, 7 and 11 of twelve all ranks stand still for 100 ms: 25 ms a step of 127 ms.
TEST(DiagnosisTest, LongStepsThatComeAgainAndAgainAreCheckpoints) {
  MadeJob made;
  made.pass = jitter;
  made.pause = [](int, int step, int batch) { return step % 4 == 3 && batch == 1 ? 0.100 : 0; };
  const Diagnosis diagnosis = diagnosis_of(made.text());
  EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::Checkpoints);
  EXPECT_EQ(diagnosis.verdict.subject, "one step in 4");
  EXPECT_NE(diagnosis.verdict.text.find("steps 3, 7, 11 take 227"), std::string::npos)
      << diagnosis.verdict.text;
  EXPECT_EQ(diagnosis.replayed.size(), 12U);
  EXPECT_NEAR(diagnosis.replayed[3].recorded.value, diagnosis.replayed[3].simulated.value, 1e-8);
}

// Twice as long in one step of four, thrice in one of three, and in every other of six.
TEST(DiagnosisTest, ARankThatIsSlowInEveryFewStepsIsNoCheckpoint) {
  struct Slow {
    int steps;
    int every;
    int rank;
    double times;
  };
  for (const auto& [steps, every, slow_rank, times] :
       {Slow{12, 4, 2, 2}, Slow{12, 3, 1, 3}, Slow{6, 2, 0, 2}}) {
    MadeJob made{.ranks = 4, .steps = steps};
    made.pass = [&, slow = slow_rank, period = every, factor = times](int rank, int step, int batch,
                                                                      bool forward) {
      return jitter(rank, step, batch, forward) * (rank == slow && step % period == 0 ? factor : 1);
    };
    const Diagnosis diagnosis = diagnosis_of(made.text());
    EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::Worker) << diagnosis.verdict.text;
    EXPECT_EQ(diagnosis.verdict.subject, "rank " + std::to_string(slow_rank));
  }
}

/// 100 ms more for the optimiser in one step of four, on rank 2 or on all.
Diagnosis of_slow_optimiser(bool on_all) {
  MadeJob made;
  made.pass = jitter;
  ImportReport report;
  Job job = read_operations_csv(made.text(), "job.csv", {}, report);
  for (std::size_t step = 3; step < job.steps.size(); step += 4)
    for (JobOperation& done : job.steps[step].operations)
      if (job.kinds[done.kind].name == "optimizer" && (on_all || done.rank == 2))
        done.end += Seconds{0.1};
  job.clocks = put_on_one_clock(job);
  return diagnose(job);
}

TEST(DiagnosisTest, WorkThatIsNoPassIsACheckpointIfAllRanksDoIt) {
  EXPECT_EQ(of_slow_optimiser(true).verdict.kind, VerdictKind::Checkpoints);
  EXPECT_NE(of_slow_optimiser(false).verdict.kind, VerdictKind::Checkpoints);
}

// Every other of six steps is as usual as the others.
TEST(DiagnosisTest, EveryOtherStepIsNoCheckpoint) {
  MadeJob made{.steps = 6};
  made.pass = jitter;
  made.pause = [](int, int step, int batch) { return step % 2 == 0 && batch == 1 ? 0.1 : 0; };
  EXPECT_EQ(diagnosis_of(made.text()).verdict.kind, VerdictKind::Host);
}

TEST(DiagnosisTest, LongStepsWithoutAPeriodAreNone) {
  MadeJob made;
  made.pass = jitter;
  made.pause = [](int, int step, int batch) {
    return (step == 2 || step == 3 || step == 8) && batch == 1 ? 0.100 : 0;
  };
  EXPECT_EQ(diagnosis_of(made.text()).verdict.kind, VerdictKind::Host);
}

// Rank 0 sends 3 MiB, seven others 1 MiB: the mean is 1.25. Of 100 ms 41.7 would be left.
TEST(DiagnosisTest, RanksThatSendDifferentAmountsAreUnevenCollectives) {
  MadeJob made;
  made.pass = jitter;
  made.reduce_scatter = [](int /*step*/) { return 0.100; };
  Job job = table_job(made.text());
  const auto usual_kind = static_cast<std::uint16_t>(
      std::ranges::find(job.kinds, "grads-reduce-scatter", &JobKind::name) - job.kinds.begin());
  job.kinds[usual_kind].size = Bytes{1048576};
  JobKind more = job.kinds[usual_kind];
  more.name += " of 3 MiB";
  more.size = Bytes{3145728};
  job.kinds.push_back(more);
  for (JobStep& step : job.steps)
    for (JobOperation& done : step.operations)
      if (done.kind == usual_kind && done.rank == 0)
        done.kind = static_cast<std::uint16_t>(job.kinds.size() - 1);
  const Diagnosis diagnosis = diagnose(job);
  EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::Collectives);
  EXPECT_EQ(diagnosis.verdict.subject, "grads-reduce-scatter");
  EXPECT_NE(diagnosis.verdict.text.find("up to 2.40 times the mean"), std::string::npos)
      << diagnosis.verdict.text;
}

// Eight launches of 3 ms in a step of 151 ms.
TEST(DiagnosisTest, DelaysBetweenOperationsAreTheHost) {
  MadeJob made{.launch = 0.003};
  made.pass = jitter;
  const Diagnosis diagnosis = diagnosis_of(made.text());
  EXPECT_NEAR((diagnosis.simulated_step - diagnosis.undelayed_step).value, 0.021, 1e-4);
  EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::Host);
}

TEST(DiagnosisTest, LongTransfersOnWhichNobodyIsLateAreTheNetwork) {
  MadeJob made;
  made.pass = jitter;
  made.reduce_scatter = [](int /*step*/) { return 0.100; };
  const Diagnosis diagnosis = diagnosis_of(made.text());
  EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::Network) << diagnosis.verdict.text;
}

// A third of the transfers takes 100 ms instead of 4.
TEST(DiagnosisTest, TransfersThatVaryAreTheNetwork) {
  MadeJob made;
  made.pass = jitter;
  made.reduce_scatter = [](int step) { return step % 3 == 0 ? 0.100 : 0.004; };
  const Diagnosis diagnosis = diagnosis_of(made.text());
  EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::Network) << diagnosis.verdict.text;
}

/// Two stages of two data-parallel ranks, one micro-batch; the second stage's passes take `longer`
/// times as long.
std::string pipeline(double longer) {
  OperationRows rows;
  const double f = 0.01;
  const double b = 0.02;
  const double s = 0.001;
  for (int step = 0; step < 4; ++step)
    for (int data = 0; data < 2; ++data) {
      const int last = 2 + data;
      double now = f;
      rows.add(data, 0, data, step, "forward-compute", 0, f, 0, 0);
      rows.add(data, 0, data, step, "forward-send", now, s);
      rows.add(data, 1, last, step, "forward-recv", 0, now + s);
      now += s;
      rows.add(data, 1, last, step, "forward-compute", now, f * longer, 0, 0);
      now += f * longer;
      rows.add(data, 1, last, step, "backward-compute", now, b * longer, 0, 0);
      now += b * longer;
      rows.add(data, 1, last, step, "backward-send", now, s);
      rows.add(data, 0, data, step, "backward-recv", f + s, now + s - f - s);
      now += s;
      rows.add(data, 0, data, step, "backward-compute", now, b, 0, 0);
      now += b;
      rows.add(data, 0, data, step, "optimizer-clip-main-grad", now, 0.001);
      rows.add(data, 1, last, step, "optimizer-clip-main-grad", now - b, 0.001 + b);
    }
  return rows.text();
}

// One micro-batch passes through all stages in turn: f + s + f l + b l + s + b + 1 ms. The ideal
// passes are (f + f l) / 2 and (b + b l) / 2, which add up to the same.
TEST(DiagnosisTest, AStepOfOneMicroBatchIsTheSumOfItsStages) {
  const Diagnosis diagnosis = diagnosis_of(pipeline(2));
  EXPECT_NEAR(diagnosis.recorded_step.value, 0.093, 1e-6);
  EXPECT_NEAR(diagnosis.ideal_step.value, 0.093, 1e-6);
  EXPECT_NEAR(diagnosis.slowdown, 1, 1e-6);
  // Alone the last stage takes 20 + 40 ms instead of 15 + 30 ms.
  EXPECT_NEAR(diagnosis.by_stage[1].slowdown, 108.0 / 93, 1e-5);
  EXPECT_NEAR(diagnosis.by_stage[0].slowdown, 78.0 / 93, 1e-5);
  EXPECT_EQ(diagnosis.verdict.kind, VerdictKind::None);
}

// Two collectives that two ranks recorded in opposite order: neither could go on.
TEST(DiagnosisTest, MeetingsThatContradictEachOtherAreTakenApart) {
  JobStep step{.name = "1"};
  for (const std::uint32_t rank : {0U, 1U})
    for (const double begin : {0.0, 1.0})
      step.operations.push_back({.rank = rank,
                                 .meeting = (rank == 0) == (begin == 0.0) ? 0U : 1U,
                                 .begin = Seconds{begin + 0.1 * rank},
                                 .end = Seconds{begin + 1}});
  step.meetings = {{.members = {0, 3}}, {.members = {1, 2}}};
  step.edges = {{0, 1}, {2, 3}};
  const StepGraph graph = step_graph_of(step);
  EXPECT_EQ(graph.taken_apart(), 1U);
  EXPECT_TRUE(graph.meeting_of(0).empty());
  // Rank 0: a second by itself, then two together with rank 1, who does its last second alone.
  std::vector<double> ends;
  EXPECT_NEAR(graph.replay(std::vector<double>{1, 2, 2, 1}, {}, ends), 4, 1e-12);
}

TEST(DiagnosisTest, TheTimesOfARankAddUpToItsStep) {
  const Diagnosis diagnosis = diagnosis_of(MadeJob{}.text());
  for (const RankUse& use : diagnosis.uses)
    EXPECT_NEAR((use.computing + use.communicating + use.waiting).value,
                diagnosis.recorded_step.value, 1e-9);
  double path = 0;
  for (const KindOnPath& kind : diagnosis.path_by_kind)
    path += kind.share;
  EXPECT_NEAR(path, 1, 1e-9);
}

/// Four passes of 4 ms on one stream that begin so many ms after each other, which is impossible:
/// replayed they take 16 ms.
Diagnosis of_overlapping_passes(double apart_ms) {
  OperationRows rows;
  for (int step = 0; step < 3; ++step)
    for (int batch = 0; batch < 4; ++batch)
      rows.add(0, 0, 0, step, "forward-compute", 1e-3 * apart_ms * batch, 0.004, batch, batch);
  return diagnosis_of(rows.text());
}

// 15.4 ms as recorded: 3.9 %. 15.04 ms: 6.4 %. 14.2 ms: 12.7 %.
TEST(DiagnosisTest, AReplayThatMissesItsRecordingIsDoubtedAndThenRefused) {
  EXPECT_TRUE(of_overlapping_passes(3.8).doubts.empty());
  EXPECT_EQ(of_overlapping_passes(3.68).doubts.front(),
            "the replay of the recorded steps misses them by 6.4 %, so what-ifs are doubtful (from "
            "5 % on)");
  EXPECT_EQ(
      input_error_of([] { of_overlapping_passes(3.4); }),
      "made.csv: the replay of the recorded steps misses them by 12.7 %: expected at most 10 % "
      "for what-ifs to mean anything");
}

}  // namespace
}  // namespace stepcast
