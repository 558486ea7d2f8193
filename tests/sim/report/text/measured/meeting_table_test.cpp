#include "sim/report/text/measured/meeting_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepcast {
namespace {

using testing::HasSubstr;
using testing::Not;

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

}  // namespace
}  // namespace stepcast
