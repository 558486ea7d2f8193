#include "sim/timeline/parts.hpp"

#include <gtest/gtest.h>

#include "tests/sim/timeline/hand_made.hpp"

namespace stepcast {
namespace {

/// FF, then 3 ms of packing, a communication that nothing hides and an idle millisecond.
std::vector<HandTask> tasks() {
  return {{.kind = TaskKind::Forward, .label = "conv", .runs = {{0, 2}}},
          {.kind = TaskKind::OtherCompute, .label = "any", .runs = {{2, 5}}, .phase = "packing"},
          {.kind = TaskKind::Communication,
           .label = "inverse of conv",
           .runs = {{5, 9}},
           .stream = 1,
           .phase = "sending"}};
}

std::vector<NamedTime> parts_with(const PartsInfo& info) {
  const Plan plan = plan_of(tasks(), {{1, 2}}, {});
  const Timeline timeline = timeline_of(tasks(), ms(10));
  return parts_of(info, plan, window_of(plan, timeline, 0, latest_ready_of(plan, timeline)));
}

TEST(Parts, ATaskBelongsToThePartOfItsPhaseWhateverItsLabel) {
  const auto parts = parts_with({.parts = {{"compute", {"forward", "packing"}, ""},
                                           {"inverse", {"inverse"}, ""},
                                           {"network", {"sending"}, ""}}});
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_NEAR(parts[0].time.value, 5e-3, 1e-12);
  EXPECT_EQ(parts[1].time, Seconds{});
  EXPECT_NEAR(parts[2].time.value, 4e-3, 1e-12);
  EXPECT_EQ(parts[3].name, kOtherPart);
  EXPECT_NEAR(parts[3].time.value, 1e-3, 1e-12);
}

TEST(Parts, WhatIsInNoPartIsOther) {
  const auto parts = parts_with({});
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_NEAR(parts[0].time.value, 10e-3, 1e-12);
}

}  // namespace
}  // namespace stepcast
