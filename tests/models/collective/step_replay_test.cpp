#include "tests/models/collective/step_replay.hpp"

#include <gtest/gtest.h>

#include "tests/models/collective/clusters.hpp"

namespace stepcast {
namespace {

// The reference itself, by hand. slow_network: ports 4 GB/s and 5 us, NICs 1 GB/s and 20 us.

TEST(StepReplay, OneMessageTakesItsStartupAndItsSizeOverTheTightestLink) {
  const Cluster cluster = slow_network(2, 2);
  EXPECT_NEAR(replay(StepPlan{{{{{0, 1, {4e6}}}}}}, cluster), 1.005e-3, 1e-15);
  EXPECT_NEAR(replay(StepPlan{{{{{0, 2, {4e6}}}}}}, cluster), 4.02e-3, 1e-15);
}

// 1 MB and 3 MB over one NIC: both at 0.5 GB/s until 2 ms, the other 2 MB alone until 4 ms.
TEST(StepReplay, MessagesShareANicFairlyUntilTheShorterIsDone) {
  const Cluster cluster = slow_network(2, 2);
  EXPECT_NEAR(replay(StepPlan{{{{{0, 2, {1e6}}, {1, 3, {3e6}}}}}}, cluster), 4.02e-3, 1e-15);
}

// Rank 0 sends 1 MB to rank 1 (4 GB/s, from 5 us on) and to rank 2 (1 GB/s, from 20 us on). Alone
// at 4 GB/s for 15 us the first moves 60 kB. Then the port has 3 GB/s left beside the NIC's 1 GB/s.
// It ends at 20 us + 940 kB / 3 GB/s = 333.33 us, the second at 20 us + 1 ms.
TEST(StepReplay, WhatABoundFlowLeavesGoesToTheOthers) {
  const Cluster cluster = slow_network(2, 2);
  const StepPlan first{{{{{0, 1, {1e6}}, {0, 2, {1e6}}}}}};
  EXPECT_NEAR(replay(first, cluster), 1.02e-3, 1e-15);
  // A next message from 1 to 0 starts when 1 is done: 333.33 us + 5 us + 4 ms.
  StepPlan second = first;
  second.rounds.push_back({{{1, 0, {16e6}}}});
  EXPECT_NEAR(replay(second, cluster), (20 + 940 / 3.0 + 5 + 4000) * 1e-6, 1e-15);
  // With a barrier only when all are: 1.02 ms + 5 us + 4 ms.
  second.barrier = true;
  EXPECT_NEAR(replay(second, cluster), 5.025e-3, 1e-15);
}

// Rack uplinks here carry 2 NICs / 2 = 1 GB/s: two messages from different nodes share one.
TEST(StepReplay, MessagesToOtherRacksShareTheUplink) {
  const Cluster cluster = racks_of_two(4, 1);
  EXPECT_NEAR(replay(StepPlan{{{{{0, 2, {1e6}}, {1, 3, {1e6}}}}}}, cluster), 2.05e-3, 1e-15);
}

}  // namespace
}  // namespace stepcast
