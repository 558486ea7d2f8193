#include "traces/job/clocks.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/lost_rows.hpp"
#include "tests/support/made_job.hpp"
#include "tests/support/made_pipeline.hpp"
#include "traces/job/job_formats.hpp"

namespace stepcast {
namespace {

Job read(const std::string& text, const JobShape& shape = {}) {
  ImportReport report;
  return read_operations_csv(text, "job.csv", shape, report);
}

/// Passes of 10 and 20 ms that vary by a tenth.
MadeJob uneven_job() {
  MadeJob made;
  made.pass = [](int rank, int step, int batch, bool forward) {
    return (forward ? 0.01 : 0.02) * (1 + 0.1 * scatter(rank, step, batch));
  };
  return made;
}

constexpr double kMicrosecond = 1e-6;

TEST(ClocksTest, InjectedOffsetsComeBack) {
  MadeJob made = uneven_job();
  made.offset = [](int rank) { return 0.1 * (scatter(rank, 5) - 0.5); };
  Job job = read(made.text());
  const JobClocks clocks = put_on_one_clock(job);
  ASSERT_EQ(clocks.hosts.size(), 8U);
  for (int rank = 0; rank < 8; ++rank)
    EXPECT_NEAR(clocks.hosts[static_cast<std::size_t>(rank)].offset.value,
                made.offset(rank) - made.offset(0), kMicrosecond);
  EXPECT_EQ(clocks.parts, 1U);
  for (const HostClock& clock : clocks.hosts)
    EXPECT_EQ(clock.violations_after, 0U);
  std::size_t before = 0;
  for (const HostClock& clock : clocks.hosts)
    before += clock.violations_before;
  EXPECT_GT(before, 0U);
}

// 200 ppm of twelve steps of some 0.13 s are 300 us in the end.
TEST(ClocksTest, DriftsFromStepToStepComeBack) {
  MadeJob made;
  made.pass = [](int rank, int /*step*/, int batch, bool forward) {
    return (forward ? 0.01 : 0.02) * (1 + 0.1 * scatter(rank, batch));
  };
  made.offset = [](int rank) { return 0.1 * (scatter(rank, 5) - 0.5); };
  made.drift = [](int rank) { return rank % 3 == 1 ? 200e-6 : 0.0; };
  Job job = read(made.text());
  const JobClocks clocks = put_on_one_clock(job);
  for (int rank = 0; rank < 8; ++rank) {
    const HostClock& clock = clocks.hosts[static_cast<std::size_t>(rank)];
    EXPECT_NEAR(clock.drift, made.drift(rank), 2e-6) << rank;
    EXPECT_NEAR(clock.offset.value, made.offset(rank) - made.offset(0), kMicrosecond) << rank;
  }
  EXPECT_LT(clocks.residual.value, 0.1 * kMicrosecond);
  EXPECT_FALSE(clocks.by_step);
}

std::size_t all(const JobClocks& clocks, std::size_t HostClock::*count) {
  std::size_t sum = 0;
  for (const HostClock& clock : clocks.hosts)
    sum += clock.*count;
  return sum;
}

// Whichever it is: seven clocks agree. Where it was the first one's, the others had to gain the
// opposite, which lowers nothing between two of them, and kept 0.
TEST(ClocksTest, OneClockThatDriftsIsTheOneThatIsPutRight) {
  MadeJob made;
  made.pass = [](int rank, int /*step*/, int batch, bool forward) {
    return (forward ? 0.01 : 0.02) * (1 + 0.1 * scatter(rank, batch));
  };
  for (const double drift : {20e-6, 200e-6})
    for (int drifting = 0; drifting < 8; ++drifting) {
      made.drift = [&](int rank) { return rank == drifting ? drift : 0.0; };
      Job job = read(made.text());
      const JobClocks clocks = put_on_one_clock(job);
      for (int rank = 0; rank < 8; ++rank) {
        const HostClock& clock = clocks.hosts[static_cast<std::size_t>(rank)];
        EXPECT_NEAR(clock.drift, made.drift(rank) - made.drift(0), 1e-6) << rank;
        EXPECT_NEAR(clock.offset.value, 0, kMicrosecond) << rank;
      }
      EXPECT_LE(all(clocks, &HostClock::violations_after),
                all(clocks, &HostClock::violations_before));
    }
}

// Ends that scatter by 5 us, all within 50 ms of their steps: lines through so few of them gain
// 100 ppm by chance.
TEST(ClocksTest, ScatterOfFewEndsIsNoDrift) {
  for (int job_number = 0; job_number < 20; ++job_number) {
    OperationRows rows;
    for (int step = 0; step < 10; ++step)
      for (int rank = 0; rank < 4; ++rank) {
        const double begin = 1 + 0.05 * scatter(rank, step, 2 * job_number);
        const double end = 1.1 + 0.05 * scatter(4, step, 2 * job_number) +
                           5e-6 * scatter(rank, step, 2 * job_number + 1);
        rows.add(rank, 0, rank, step, "forward-compute", 0, begin, 0, 0);
        rows.add(rank, 0, rank, step, "grads-all-reduce", begin, end - begin);
      }
    Job job = read(rows.text());
    for (const HostClock& clock : put_on_one_clock(job).hosts)
      EXPECT_EQ(clock.drift, 0) << job_number;
  }
}

// Rank 0's collective ends before rank 1's has begun: bounds move both, and what is reported stays
// against the first.
TEST(ClocksTest, OffsetsAreThoseAgainstTheFirstClockEvenIfBoundsMoveIt) {
  OperationRows rows;
  for (int step = 0; step < 3; ++step)
    for (int rank = 0; rank < 2; ++rank) {
      const double late = step == 2 ? 0.004 : 0;
      rows.add(rank, 0, rank, step, "forward-compute", 0, 0.01, 0, 0);
      rows.add(rank, 0, rank, step, "grads-all-reduce", 0.01 + rank * late, 0.002);
    }
  Job job = read(rows.text());
  const JobClocks clocks = put_on_one_clock(job);
  EXPECT_EQ(clocks.hosts[0].offset, Seconds{});
  EXPECT_EQ(all(clocks, &HostClock::violations_after), 0U);
}

// Tables whose clocks begin anew in each step: 200 ppm are 30 us at its end.
TEST(ClocksTest, DriftsWithinStepsComeBack) {
  MadeJob made = uneven_job();
  Job job = read(made.text());
  for (JobStep& step : job.steps)
    for (JobOperation& done : step.operations)
      for (Seconds* time : {&done.begin, &done.end})
        *time += *time * (done.rank % 3 == 1 ? 200e-6 : 0.0);
  const JobClocks clocks = put_on_one_clock(job);
  for (std::size_t rank = 0; rank < 8; ++rank)
    EXPECT_NEAR(clocks.hosts[rank].drift, rank % 3 == 1 ? 200e-6 : 0.0, 2e-6) << rank;
}

// Rank 1 ends the second one 10 us later, 100 ms behind the first. It used to be a drift of 100 ppm
// within 0 s.
TEST(ClocksTest, TwoEndsAreNoDrift) {
  OperationRows rows;
  for (int rank = 0; rank < 2; ++rank) {
    rows.add(rank, 0, rank, 1, "forward-compute", 0, 0.01, 0, 0);
    rows.add(rank, 0, rank, 1, "grads-all-reduce", 0.01, 0.01, 0);
    rows.add(rank, 0, rank, 1, "grads-all-reduce", 0.11, rank == 1 ? 0.01001 : 0.01, 1);
  }
  Job job = read(rows.text());
  for (const HostClock& clock : put_on_one_clock(job).hosts) {
    EXPECT_EQ(clock.drift, 0);
    EXPECT_GT(clock.half_width, Seconds{});
  }
}

/// From the step's operation at this time on the rank's clock is ahead.
void set_ahead(Job& job, std::uint32_t rank, std::size_t from, double at, double by) {
  for (std::size_t step = from; step < job.steps.size(); ++step)
    for (JobOperation& done : job.steps[step].operations)
      for (Seconds* time : {&done.begin, &done.end})
        if (done.rank == rank && (step > from || time->value >= at))
          *time += Seconds{by};
}

// The median of its ends hid that a clock is set anew, and bounds moved all clocks. What a clock
// showed in the step in which it was set is not known.
TEST(ClocksTest, AStepInWhichAClockJumpsIsLeftOutAndMovesNoOther) {
  for (const double by : {1.0, -0.3})
    for (const double at : {0.0, 0.05, 0.13}) {
      Job job = read(uneven_job().text());
      const std::size_t steps = job.steps.size();
      const std::string jumped = job.steps[7].name;
      set_ahead(job, 3, 7, at, by);
      const JobClocks clocks = put_on_one_clock(job);
      ASSERT_FALSE(clocks.jumps.empty()) << by << " " << at;
      EXPECT_LE(clocks.jumps.size(), 2U);  // The step behind tells, too, where one collective is.
      for (const JumpedClock& jump : clocks.jumps) {
        EXPECT_EQ(jump.host, "rank 3");
        EXPECT_NEAR(jump.by.value, std::abs(by), 0.02);
      }
      EXPECT_EQ(job.steps.size(), steps - clocks.jumps.size());
      for (const HostClock& clock : clocks.hosts) {
        EXPECT_NEAR(clock.offset.value, 0, kMicrosecond) << clock.name;
        EXPECT_EQ(clock.violations_after, 0U) << clock.name;
      }
      for (const JobStep& step : job.steps)
        for (const JobMeeting& meeting : step.meetings)
          EXPECT_NEAR(step.operations[meeting.members[3]].end.value,
                      step.operations[meeting.members[0]].end.value, kMicrosecond);
    }
}

// A message and a pass that are lost shifted all in between, which contradicted itself.
TEST(ClocksTest, LostRowsAreNoJumps) {
  const MadePipeline made{.micro_batches = 8, .steps = 6, .message = 0.001, .sum = 0.01};
  for (unsigned seed = 1; seed <= 6; ++seed) {
    Job job = read(with_lost_rows(made.text(), 0.1, seed));
    EXPECT_TRUE(put_on_one_clock(job).jumps.empty()) << seed;
  }
}

// Every other rank is on a host of the same name, and each has a clock of its own.
TEST(ClocksTest, HostsWhoseRanksHaveClocksOfTheirOwnAreTold) {
  MadePipeline made{.micro_batches = 8, .steps = 4, .message = 0.001, .sum = 0.01};
  JobShape shape;
  for (int rank = 0; rank < 8; ++rank)
    shape.hosts.emplace_back(rank % 2 == 0 ? "a" : "b");
  const auto read_ahead = [&](double by) {
    Job job = read(made.text(), shape);
    for (JobStep& step : job.steps)
      for (JobOperation& done : step.operations)
        for (Seconds* time : {&done.begin, &done.end})
          *time += Seconds{by * (done.rank % 3)};
    return put_on_one_clock(job);
  };
  EXPECT_EQ(read_ahead(0).contradicted, 0U);
  const JobClocks clocks = read_ahead(0.1);
  EXPECT_EQ(clocks.contradicted, 4U);
  EXPECT_TRUE(clocks.by_hosts);
  EXPECT_TRUE(clocks.jumps.empty());
}

// Numbers of steps that are none, but times in nanoseconds, say nothing about when steps were.
TEST(ClocksTest, HugeNumbersOfStepsPlaceNone) {
  OperationRows rows;
  for (const int step : {1, 2'000'000'000})
    for (int rank = 0; rank < 2; ++rank) {
      rows.add(rank, 0, rank, step, "forward-compute", 0, 0.01, 0, 0);
      rows.add(rank, 0, rank, step, "grads-all-reduce", 0.01, 0.02);
    }
  EXPECT_EQ(read(rows.text()).steps.back().begin, Seconds{});
}

// Without drift none may be found in the scatter of ends.
TEST(ClocksTest, NoDriftIsFoundWhereThereIsNone) {
  Job job = read(uneven_job().text());
  for (const HostClock& clock : put_on_one_clock(job).hosts)
    EXPECT_EQ(clock.drift, 0);
}

TEST(ClocksTest, RanksOfOneHostShareAClock) {
  MadeJob made = uneven_job();
  made.offset = [](int rank) { return rank < 4 ? 0.0 : -0.02; };
  Job job = read(made.text(), {.gpus_per_host = 4});
  const JobClocks clocks = put_on_one_clock(job);
  ASSERT_EQ(clocks.hosts.size(), 2U);
  EXPECT_EQ(clocks.hosts[1].ranks.size(), 4U);
  EXPECT_NEAR(clocks.hosts[1].offset.value, -0.02, kMicrosecond);
}

// Two stages with a reduce-scatter each and nothing in between.
std::string two_parts(bool messages) {
  OperationRows rows;
  for (int step = 0; step < 4; ++step)
    for (int stage = 0; stage < 2; ++stage)
      for (int data = 0; data < 2; ++data) {
        const double late = 0.02 * stage;
        const auto add = [&](const char* type, double begin, double end) {
          rows.add(data, stage, 2 * stage + data, step, type, begin + late, end - begin, 0,
                   type[0] == 'f' && type[8] == 'c' ? 0 : -1);
        };
        if (messages && stage == 0) {
          add("forward-send", 0.010, 0.011);
          add("backward-recv", 0.020, 0.023);
        } else if (messages) {
          add("forward-recv", 0.005, 0.011);
          add("backward-send", 0.022, 0.023);
        }
        add("grads-reduce-scatter", 0.030, 0.040);
      }
  return rows.text();
}

TEST(ClocksTest, PartsThatNothingJoinsAreNamed) {
  Job job = read(two_parts(false));
  const JobClocks clocks = put_on_one_clock(job);
  EXPECT_EQ(clocks.parts, 2U);
  EXPECT_NE(clocks.hosts[0].part, clocks.hosts[2].part);
  EXPECT_EQ(clocks.hosts[0].part, clocks.hosts[1].part);
}

// What is sent at .010 is received by .011 and what is sent at .022 by .023: the clocks' difference
// is known within a millisecond to either side.
TEST(ClocksTest, MessagesBothWaysJoinParts) {
  Job job = read(two_parts(true));
  const JobClocks clocks = put_on_one_clock(job);
  EXPECT_EQ(clocks.parts, 1U);
  EXPECT_NEAR(clocks.hosts[2].offset.value, 0.02, 0.001);
}

// Stages meet in the first six steps alone. Behind these two clocks of the first one are set anew,
// so that those before tell nothing of any: three parts were counted, of which one had a name.
TEST(ClocksTest, PartsAreThoseOfAStep) {
  OperationRows rows;
  for (int step = 0; step < 12; ++step)
    for (int rank = 0; rank < 10; ++rank) {
      const double ahead = step < 6 ? 0 : rank == 1 ? 0.003 : rank == 3 ? -0.002 : 0;
      const auto add = [&](const char* type, double begin, double end) {
        rows.add(rank % 5, rank / 5, rank, step, type, begin + ahead, end - begin, 0, 0);
      };
      const double arrived = 0.1 * (1 + scatter(rank, step));
      add("forward-compute", 0, arrived);
      add("grads-reduce-scatter", arrived, 0.25);
      if (step < 6)
        add("optimizer-clip-main-grad", 0.25, 0.26);
    }
  Job job = read(rows.text());
  const JobClocks clocks = put_on_one_clock(job);
  EXPECT_EQ(clocks.jumps.size(), 2U);
  EXPECT_EQ(clocks.parts, 2U);
  for (std::size_t rank = 0; rank < 10; ++rank)
    EXPECT_EQ(clocks.hosts[rank].part, rank / 5) << rank;
}

// Within each of four stages a collective tells the clocks of two copies apart to 2 us, between
// stages one to 200 us. A rank alone cannot leave its copy, so that stages must be joined again
// once it is known how much each kind scatters: then a mistake of a stage is 200 us over 500 s at
// most.
TEST(ClocksTest, StagesWhoseCopiesDriftAlikeComeBack) {
  constexpr int kSteps = 100;
  constexpr double kStep = 5;  // Seconds.
  for (int pattern = 1; pattern < 16; ++pattern) {
    const auto drift = [&](int stage) { return (pattern >> stage & 1) != 0 ? 20e-6 : -20e-6; };
    OperationRows rows;
    for (int step = 0; step < kSteps; ++step)
      for (int stage = 0; stage < 4; ++stage)
        for (int data = 0; data < 2; ++data) {
          const auto add = [&](const char* type, double begin, double end, double scatters) {
            const double spread = scatters * (scatter(step, 2 * stage + data, type[0]) - 0.5);
            const auto local = [&](double t) { return t + (step * kStep + t) * drift(stage); };
            const double last = local(end + spread);
            rows.add(data, stage, 2 * stage + data, step, type, local(begin), last - local(begin));
          };
          add("params-all-gather", 0, 0.2, 4e-6);
          add("grads-reduce-scatter", 4.0, 4.5, 4e-6);
          add("layernorm-grads-all-reduce", 4.6, 4.7, 4e-6);
          add("optimizer-clip-main-grad", 4.8, 4.9, 400e-6);
          add("optimizer", 4.9, 5.0, 0);
        }
    Job job = read(rows.text());
    const JobClocks clocks = put_on_one_clock(job);
    EXPECT_EQ(clocks.parts, 1U);
    for (int rank = 0; rank < 8; ++rank) {
      const double expected = drift(rank / 2) - drift(0);
      EXPECT_NEAR(clocks.hosts[static_cast<std::size_t>(rank)].drift, expected, 0.3e-6)
          << pattern << " " << rank;
    }
  }
}

TEST(ClocksTest, TimesCountFromTheFirstBeginOfAStep) {
  MadeJob made = uneven_job();
  made.offset = [](int /*rank*/) { return 12.5; };
  Job job = read(made.text());
  put_on_one_clock(job);
  Seconds first{1};
  for (const JobOperation& done : job.steps[0].operations)
    first = std::min(first, done.begin);
  EXPECT_EQ(first.value, 0);
}

}  // namespace
}  // namespace stepcast
