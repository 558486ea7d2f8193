// Clocks of ByteDance's published job ST (OSDI'25), whose ranks are on one host.

#include <algorithm>
#include <cmath>
#include <utility>

#include <gtest/gtest.h>

#include "sim/jobs/diagnose/diagnosis.hpp"
#include "tests/support/published_jobs.hpp"
#include "traces/job/medians.hpp"

namespace stepcast {
namespace {

void gain(Job& job, std::uint32_t rank, double drift) {
  for (JobStep& step : job.steps)
    for (JobOperation& done : step.operations)
      if (done.rank == rank)
        for (Seconds* time : {&done.begin, &done.end})
          *time += (step.begin + *time) * drift;
}

std::size_t too_early(const Job& job, std::size_t HostClock::*count) {
  std::size_t sum = 0;
  for (const HostClock& clock : job.clocks.hosts)
    sum += clock.*count;
  return sum;
}

// In a pipeline ranks of a stage meet each other alone. Of the first rank's 20 ppm S was 1.1926.
TEST(PublishedClocksTest, OneDriftingClockOfStComesBackWhicheverItIs) {
  STEPCAST_SKIP_WITHOUT(jobs_folder());
  const Job recorded = read_published("ST.csv.gz");
  const double slowdown = diagnose(recorded).slowdown;
  for (std::uint32_t rank = 0; rank < recorded.ranks.size(); ++rank)
    for (const double drift : {1e-6, 20e-6, 200e-6}) {
      if (rank > 0 && drift != 20e-6)
        continue;
      Job job = recorded;
      gain(job, rank, drift);
      job.clocks = put_on_one_clock(job);
      EXPECT_TRUE(job.clocks.jumps.empty()) << rank << " " << drift;
      EXPECT_NEAR(diagnose(job).slowdown, slowdown, 0.002) << rank << " " << drift;
      EXPECT_LE(too_early(job, &HostClock::violations_after),
                too_early(job, &HostClock::violations_before))
          << rank << " " << drift;
      for (std::size_t of = 0; of < recorded.ranks.size(); ++of)
        EXPECT_NEAR(job.clocks.hosts[of].drift, (of == rank ? drift : 0) - (rank == 0 ? drift : 0),
                    5e-8)
            << rank << " " << drift << " " << of;
    }
}

// Steps ..36 and 259.. are 490 s apart, in which a clock may drift by 245 ms, and collectives last
// longer than 5 ms. All were missed; that of 50 ms made S 1.1905.
TEST(PublishedClocksTest, JumpsOfClocksOfStAreFoundInPausesAndWhereTheyAreSmall) {
  STEPCAST_SKIP_WITHOUT(jobs_folder());
  struct Case {
    std::uint32_t rank;
    const char* step;
    double by;
  };
  const Job recorded = read_published("ST.csv.gz");
  const double slowdown = diagnose(recorded).slowdown;
  EXPECT_TRUE(recorded.clocks.jumps.empty());
  for (const auto& [rank, step, by] :
       {Case{3, "259", 0.1}, Case{3, "259", 0.005}, Case{0, "514", 0.05}, Case{6, "1010", -0.01},
        Case{1, "36", 0.005}, Case{2, "530", -0.004}}) {
    Job job = recorded;
    const auto first = std::ranges::find(job.steps, step, &JobStep::name);
    for (auto of = first; of != job.steps.end(); ++of)
      for (JobOperation& done : of->operations)
        for (Seconds* time : {&done.begin, &done.end})
          *time += Seconds{done.rank == rank ? by : 0};
    job.clocks = put_on_one_clock(job);
    ASSERT_EQ(job.clocks.jumps.size(), 1U) << step << " " << by;
    const JumpedClock& jump = job.clocks.jumps.front();
    EXPECT_EQ(jump.host, "rank " + std::to_string(rank));
    EXPECT_EQ(jump.step, step);
    EXPECT_NEAR(jump.by.value, std::abs(by), 0.002);
    EXPECT_NEAR(diagnose(job).slowdown, slowdown, 0.001) << step << " " << by;
  }
}

// What two steps alone tell of the middle stages is wrong by up to .9 ms: ends of the norm differ
// from stage to stage. All ranks share a clock.
TEST(PublishedClocksTest, HalfWidthsOfStCoverWhatFewStepsGetWrong) {
  STEPCAST_SKIP_WITHOUT(jobs_folder());
  const Job recorded = read_published("ST.csv.gz");
  for (std::size_t first = 0; first + 1 < recorded.steps.size(); ++first) {
    Job job = recorded;
    job.steps = {recorded.steps[first], recorded.steps[first + 1]};
    job.clocks = put_on_one_clock(job);
    for (const std::size_t host : {2U, 3U, 4U, 5U}) {
      const HostClock& clock = job.clocks.hosts[host];
      EXPECT_LT(std::abs(clock.offset.value), clock.half_width.value) << first << clock.name;
    }
  }
}

/// Shifts the clock of each rank by up to 50 ms, which gains so many seconds a second from the
/// first step on.
std::vector<double> disturb(Job& job, const std::vector<double>& drifts) {
  std::vector<double> offsets;
  for (std::uint32_t rank = 0; rank < job.ranks.size(); ++rank)
    offsets.push_back(0.1 * ((rank * 37 % 100) / 100.0) - 0.05);
  for (JobStep& step : job.steps)
    for (JobOperation& done : step.operations)
      for (Seconds* time : {&done.begin, &done.end})
        *time += Seconds{offsets[done.rank]} + (step.begin + *time) * drifts[done.rank];
  return offsets;
}

/// Of every other rank of eight.
std::vector<double> of_odd_ranks(double drift) {
  return {0, drift, 0, drift, 0, drift, 0, drift};
}

double worst_offset_error(const Job& job, const std::vector<double>& offsets) {
  double worst = 0;
  for (std::uint32_t rank = 0; rank < offsets.size(); ++rank)
    worst = std::max(worst,
                     std::abs(job.clocks.hosts[rank].offset.value - (offsets[rank] - offsets[0])));
  return worst;
}

TEST(PublishedClocksTest, ShiftedClocksOfStComeBack) {
  STEPCAST_SKIP_WITHOUT(jobs_folder());
  Job job = read_published("ST.csv.gz");
  const double slowdown = diagnose(job).slowdown;
  const std::vector<double> offsets = disturb(job, of_odd_ranks(0));
  job.clocks = put_on_one_clock(job);
  EXPECT_LT(job.clocks.residual.value, 10e-6);
  EXPECT_LT(worst_offset_error(job, offsets), job.clocks.residual.value);
  EXPECT_NEAR(diagnose(job).slowdown, slowdown, 1e-4);
}

/// By how much each rank's clock is wrong in each step against the first one's, if its offset and
/// drift came back so.
std::vector<double> clock_errors(const Job& job, const std::vector<double>& offsets,
                                 const std::vector<double>& drifts) {
  std::vector<double> errors;
  for (std::uint32_t rank = 0; rank < offsets.size(); ++rank)
    for (const JobStep& step : job.steps) {
      const HostClock& clock = job.clocks.hosts[rank];
      const double rate = (1 + drifts[rank]) / (1 + drifts[0]);
      errors.push_back(clock.offset.value - (offsets[rank] - offsets[0] * rate) +
                       (clock.drift - (rate - 1)) * step.begin.value);
    }
  return errors;
}

// Steps 23 to 1048 of 2.2 s: in the end the clocks are 45 or 90 ms apart. Stages agree within
// themselves and hear of each other less: two stages that drift alike against two others were
// found 700 us off. Where all drift the other way the errors are the same but for what came back
// wrongly of the drift: they are what ends of the job itself drift, up to 5e-9.
TEST(PublishedClocksTest, DriftingClocksOfStComeBack) {
  STEPCAST_SKIP_WITHOUT(jobs_folder());
  const Job recorded = read_published("ST.csv.gz");
  const double slowdown = diagnose(recorded).slowdown;
  const double residual = recorded.clocks.residual.value;  // 5.9 us
  const std::uint32_t of_odd_alone = 256;
  for (const std::uint32_t ahead :
       {of_odd_alone, 0x93U, 0xdaU, 0x5cU, 0x4cU, 0x8cU, 0x3cU, 0x0fU}) {
    std::vector<std::vector<double>> errors;
    for (const double drift : {20e-6, -20e-6}) {
      std::vector<double> drifts = of_odd_ranks(drift);
      for (std::size_t rank = 0; rank < drifts.size() && ahead != of_odd_alone; ++rank)
        drifts[rank] = (ahead >> rank & 1U) != 0 ? drift : -drift;
      Job job = recorded;
      const std::vector<double> offsets = disturb(job, drifts);
      job.clocks = put_on_one_clock(job);
      EXPECT_LT(job.clocks.residual.value, ahead == of_odd_alone ? 6.1e-6 : 6.2e-6) << ahead;
      for (std::size_t rank = 0; rank < offsets.size(); ++rank)
        EXPECT_NEAR(job.clocks.hosts[rank].drift, drifts[rank] - drifts[0], 1e-8)
            << ahead << " " << rank;
      errors.push_back(clock_errors(job, offsets, drifts));
      EXPECT_NEAR(diagnose(job).slowdown, slowdown, 0.002) << ahead;
    }
    std::vector<double> sizes;
    for (std::size_t i = 0; i < errors[0].size(); ++i) {
      EXPECT_LT(std::abs(errors[0][i] - errors[1][i]) / 2, residual) << ahead << " " << i;
      sizes.push_back(std::abs(errors[0][i]));
    }
    EXPECT_LT(middle_of(sizes), residual) << ahead;
    EXPECT_LT(std::ranges::max(sizes), 15e-6) << ahead;
  }
}

// As if clocks began anew in each step: it has ends near its beginning, of one all-gather, and at
// its end, 2.2 s later, when clocks are 44 us apart. What stages say about each other lies at the
// end alone.
TEST(PublishedClocksTest, DriftsWithinStepsOfStComeBackAsFarAsItsEndsTell) {
  STEPCAST_SKIP_WITHOUT(jobs_folder());
  Job job = read_published("ST.csv.gz");
  const double slowdown = diagnose(job).slowdown;
  std::vector<Seconds> begins;
  for (JobStep& step : job.steps)
    begins.push_back(std::exchange(step.begin, {}));
  const std::vector<double> offsets = disturb(job, of_odd_ranks(20e-6));
  for (std::size_t step = 0; step < begins.size(); ++step)
    job.steps[step].begin = begins[step];
  job.clocks = put_on_one_clock(job);
  EXPECT_LT(job.clocks.residual.value, 10e-6);
  EXPECT_LT(worst_offset_error(job, offsets), 35e-6);
  EXPECT_NEAR(diagnose(job).slowdown, slowdown, 0.002);
}

}  // namespace
}  // namespace stepcast
