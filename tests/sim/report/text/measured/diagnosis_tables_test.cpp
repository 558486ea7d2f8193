#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/text/measured/diagnosis_report.hpp"
#include "sim/report/text/table.hpp"

namespace stepcast {
namespace {

using testing::HasSubstr;
using testing::Not;

Diagnosis of_ranks(std::uint32_t count) {
  Diagnosis diagnosis{.recorded_step = Seconds{0.1}};
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    diagnosis.ranks.push_back({.number = rank, .data = rank});
    diagnosis.uses.push_back(
        {.rank = rank, .slowdown = 1 + 0.01 * rank, .computing = Seconds{0.09}});
  }
  return diagnosis;
}

TEST(RankTableTest, ColumnsInWhichNobodyHasAnythingAreLeftOut) {
  Diagnosis diagnosis = of_ranks(2);
  EXPECT_THAT(render_ranks(diagnosis), HasSubstr("rank  slow-down  computing\n"));
  diagnosis.uses[1].communicating = Seconds{0.02};
  diagnosis.uses[1].exposed = Seconds{0.01};
  diagnosis.uses[0].short_kernels = 0.0;
  EXPECT_THAT(render_ranks(diagnosis),
              HasSubstr("rank  slow-down  computing   comm  exposed  overlap\n"));
  EXPECT_THAT(render_ranks(diagnosis), HasSubstr("20.00    10.00   50.0 %\n"));
  EXPECT_THAT(render_ranks(diagnosis), HasSubstr("90.00   0.00     0.00        -\n"));
}

TEST(RankTableTest, DevicesAreShownAsFarAsProfilesTellOfThem) {
  Diagnosis diagnosis = of_ranks(2);
  diagnosis.ranks[1].device = {
      .queued = 3.25, .queue_empty = 0.125, .allocated = Bytes{3221225472}, .reserved = {}};
  const std::string text = render_ranks(diagnosis);
  EXPECT_THAT(text, HasSubstr("rank  slow-down  computing  queued  no queue  allocated\n"));
  EXPECT_THAT(text, HasSubstr("90.00     3.2    12.5 %      3 GiB\n"));
  EXPECT_THAT(text, HasSubstr("90.00       -         -          -\n"));
}

TEST(RankTableTest, OfManyRanksTheSlowestAreShown) {
  const std::string text = render_ranks(of_ranks(64));
  EXPECT_THAT(text, HasSubstr("\n63       1.6300"));
  EXPECT_THAT(text, HasSubstr("and 56 more\n"));
  EXPECT_THAT(text, Not(HasSubstr("\n55 ")));
}

TEST(RankTableTest, AllColumnsAtOnceFitATerminal) {
  Diagnosis diagnosis = of_ranks(2);
  diagnosis.stages = 2;
  diagnosis.recorded_step = Seconds{20};
  for (Seconds RankUse::*time :
       {&RankUse::computing, &RankUse::communicating, &RankUse::exposed, &RankUse::copies,
        &RankUse::waiting, &RankUse::idle_for_host, &RankUse::other, &RankUse::holding})
    diagnosis.uses[0].*time = Seconds{12.3456};
  diagnosis.uses[0].exposed = Seconds{1};
  diagnosis.uses[0].short_kernels = 12345;
  const std::string text = render_ranks(diagnosis);
  EXPECT_THAT(text, HasSubstr("12345.6"));
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    EXPECT_LE(end - begin, report_width());
    begin = end + 1;
  }
}

TEST(KernelTableTest, TellsBothRanksAndTheirKernels) {
  Diagnosis diagnosis;
  diagnosis.ranks = {{.number = 4}, {.number = 7}};
  diagnosis.uses = {{.rank = 0, .computing = Seconds{0.02}},
                    {.rank = 1, .computing = Seconds{0.01}}};
  EXPECT_EQ(render_uneven_kernels(diagnosis), "");
  diagnosis.uneven_kernels = {
      .slowest = 0,
      .fastest = 1,
      .kinds = {{"forward: gemm", {3, Seconds{0.015}}, {3, Seconds{0.005}}}}};
  EXPECT_EQ(
      render_uneven_kernels(diagnosis),
      "\nOf ranks that do the same, rank 4 computes longest and rank 7 shortest, 20 ms and 10 ms "
      "a step. Most\nof it goes with:\n"
      "kernel         count  slowest ms  fastest ms  longer by\n"
      "-------------  -----  ----------  ----------  ---------\n"
      "forward: gemm      3       15.00        5.00      10.00\n");
}

Diagnosis of_meeting(std::vector<std::uint32_t> ranks, bool message) {
  Diagnosis diagnosis;
  for (std::uint32_t rank = 0; rank < 64; ++rank)
    diagnosis.ranks.push_back({.number = rank});
  diagnosis.meetings = {{.name = "all-reduce", .ranks = std::move(ranks), .message = message}};
  return diagnosis;
}

TEST(MeetingTableTest, RanksAreToldAsRuns) {
  EXPECT_THAT(render_meetings(of_meeting({0, 1, 2, 3, 6}, false)), HasSubstr(" 0-3, 6 "));
  EXPECT_THAT(render_meetings(of_meeting({0, 8, 16, 24}, false)),
              HasSubstr(" 0, 8, 16 .. (4 ranks) "));
  EXPECT_THAT(render_meetings(of_meeting({5, 3}, true)), HasSubstr(" 5 -> 3 "));
}

TEST(MeetingTableTest, BandwidthsAreShownWhereSizesAreKnown) {
  Diagnosis diagnosis = of_meeting({0, 1}, false);
  EXPECT_THAT(render_meetings(diagnosis), Not(HasSubstr("bus bandwidth")));
  diagnosis.meetings.push_back(diagnosis.meetings.front());
  diagnosis.meetings.front().bus_bandwidth = BytesPerSecond{2e9};
  EXPECT_THAT(render_meetings(diagnosis), HasSubstr("2 GB/s\n"));
  EXPECT_THAT(render_meetings(diagnosis), HasSubstr("-\n"));
}

TEST(MeetingTableTest, AClustersBandwidthStandsBesideTheMeasuredOne) {
  Diagnosis diagnosis = of_meeting({0, 1}, false);
  diagnosis.cluster = "made";
  EXPECT_THAT(render_meetings(diagnosis), HasSubstr("none is compared with made."));
  diagnosis.meetings.front().bus_bandwidth = BytesPerSecond{2e9};
  diagnosis.meetings.front().cluster_bandwidth = BytesPerSecond{8e9};
  EXPECT_THAT(render_meetings(diagnosis),
              HasSubstr("\nTheir bus bandwidth and what made has for that size, idle:\n"));
  EXPECT_THAT(render_meetings(diagnosis), HasSubstr("2 GB/s         8 GB/s  25.0 %\n"));
}

TEST(MeetingTableTest, OfManyTheFirstFiveAreShown) {
  Diagnosis diagnosis = of_meeting({0, 1}, false);
  diagnosis.meetings.resize(7, diagnosis.meetings.front());
  diagnosis.meetings[4].name = "fifth";
  diagnosis.meetings[5].name = "sixth";
  EXPECT_THAT(render_meetings(diagnosis), HasSubstr("fifth"));
  EXPECT_THAT(render_meetings(diagnosis), Not(HasSubstr("sixth")));
  EXPECT_EQ(render_meetings({}), "");
}

TEST(GainTableTest, SaysWhatAStepTakesInstead) {
  Diagnosis diagnosis{.ranks = {{.number = 4}},
                      .simulated_step = Seconds{0.2},
                      .undelayed_step = Seconds{0.1},
                      .worst_ranks = {.ranks = {0}}};
  diagnosis.gains.no_host_gaps = Seconds{0.1};
  diagnosis.gains.even_ranks = Seconds{0.075};
  const std::string text = render_gains(diagnosis);
  EXPECT_THAT(text, HasSubstr(" 100.00      200.00   50.0 %\n"));
  EXPECT_THAT(text, HasSubstr("no straggler: rank 4 as others    75.00      100.00   25.0 %\n"));
  EXPECT_THAT(text, Not(HasSubstr("evenly over the stages")));
  EXPECT_THAT(text, Not(HasSubstr("in no time")));
  EXPECT_THAT(text, Not(HasSubstr("larger buckets")));
  diagnosis.gains.larger_buckets = {
      .size = Bytes{52428800}, .now = Seconds{0.2}, .step = Seconds{0.18}};
  EXPECT_THAT(render_gains(diagnosis),
              HasSubstr("larger buckets, of 50 MiB or more   180.00      200.00   10.0 %\n"));
}

}  // namespace
}  // namespace stepcast
