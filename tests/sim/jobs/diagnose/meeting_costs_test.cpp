#include <gtest/gtest.h>

#include "sim/jobs/diagnose/diagnosis_parts.hpp"
#include "tests/support/made_profiles.hpp"
#include "tests/support/profiled_job_of.hpp"
#include "tests/support/small_job.hpp"

namespace stepcast {
namespace {

// Rank 0 waits from 4 to 7 ms, computing from 5 on, and computes 1 of the 3 ms of the transfer;
// rank 1 comes last and computes nothing meanwhile.
TEST(MeetingCostsTest, TimesAreMeansOfTheRanks) {
  SmallJob small = overlapping();
  small.job().kinds[kReduce].size = Bytes{6e6};
  const Diagnosis diagnosis = small.diagnosis();
  ASSERT_EQ(diagnosis.meetings.size(), 1U);
  const MeetingCost& sum = diagnosis.meetings.front();
  EXPECT_EQ(sum.name, "all-reduce");
  EXPECT_EQ(sum.ranks, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(sum.count, 1);
  expect_ms(sum.transfer, 3);
  expect_ms(sum.exposed, (2 + 3) / 2.0);
  expect_ms(sum.waiting, (1 + 0) / 2.0);
  // 6 MB in 3 ms, 2 (n - 1) / n = 1 times.
  EXPECT_NEAR(sum.bus_bandwidth->value, 2e9, 1);
}

TEST(MeetingCostsTest, WithoutASizeThereIsNoBandwidth) {
  EXPECT_FALSE(overlapping().diagnosis().meetings.front().bus_bandwidth);
}

// Two messages one way of 1 ms each, for the first of which the receiver waits 2 ms, and one back,
// for which the first rank waits 4.
TEST(MeetingCostsTest, MessagesAreAddedUpByTheirDirection) {
  SmallJob small;
  const auto first = small.add(0, kForward, 1, 0, 2);
  const auto sent = small.add(0, kSend, 2, 2, 3);
  const auto again = small.add(0, kSend, 2, 3, 4);
  const auto back = small.add(0, kSend, 3, 4, 9);
  const auto taken = small.add(1, kSend, 2, 0, 3);
  const auto taken_again = small.add(1, kSend, 2, 3, 4);
  const auto second = small.add(1, kForward, 1, 4, 8);
  const auto answer = small.add(1, kSend, 3, 8, 9);
  small.edge(first, sent);
  small.edge(sent, again);
  small.edge(again, back);
  small.edge(taken, taken_again);
  small.edge(taken_again, second);
  small.edge(second, answer);
  small.meet(sent, taken, true);
  small.meet(again, taken_again, true);
  small.meet(answer, back, true);
  const Diagnosis diagnosis = small.diagnosis();
  ASSERT_EQ(diagnosis.meetings.size(), 2U);
  EXPECT_EQ(diagnosis.meetings[0].ranks, (std::vector<std::uint32_t>{1, 0}));
  expect_ms(diagnosis.meetings[0].idle(), (4 + 1 + 1) / 2.0);
  EXPECT_EQ(diagnosis.meetings[1].count, 2);
  EXPECT_TRUE(diagnosis.meetings[1].message);
  expect_ms(diagnosis.meetings[1].transfer, 2);
  expect_ms(diagnosis.meetings[1].waiting, (2 + 0) / 2.0);
}

// The link of ranks 2 and 3 takes twelve times as long: 4 MB in 12 ms. Its sum is first of all.
TEST(MeetingCostsTest, TheSlowestLinkComesFirst) {
  MadeProfiles made;
  made.ranks = 8;
  made.group = 2;
  made.transfer = [](int first) { return first == 2 ? 12'000.0 : 1'000.0; };
  const Diagnosis diagnosis = diagnose(profiled_job_of(made.texts()));
  const auto link =
      std::ranges::find(diagnosis.meetings, std::vector<std::uint32_t>{2, 3}, &MeetingCost::ranks);
  ASSERT_NE(link, diagnosis.meetings.end());
  EXPECT_EQ(link->count, 2);
  EXPECT_NEAR(link->transfer.value, 0.024, 1e-6);
  EXPECT_NEAR(link->bus_bandwidth->value, 4e6 / 0.012, 1e4);
  for (const MeetingCost& cost : diagnosis.meetings) {
    EXPECT_LE(cost.idle(), diagnosis.meetings.front().idle());
    if (cost.ranks.size() == 2) {
      EXPECT_LE(cost.transfer, link->transfer);
    }
  }
}

}  // namespace
}  // namespace stepcast
