#include "models/schedule/kfac/updates.hpp"

#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "tests/models/schedule/kfac/kfac_workload.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

using examples::communications;

Plan plan_of(const char* schedule, const ScheduleOptions& options) {
  return build_plan(schedule, examples::kfac_workload(6), examples::plain_cluster(8), options);
}

// Of 6 steps the first sends 12 factors and 12 inverses, the third and the fifth 12 factors.
TEST(KfacUpdates, FactorsAndInversesTravelInTheirSteps) {
  const Plan plan = plan_of("mpd-kfac", {{"factor_interval", "2"}, {"inverse_interval", "6"}});
  EXPECT_EQ(steps_of(plan), 6U);
  EXPECT_EQ(communications(plan, "factor of"), 3 * 12U);
  EXPECT_EQ(communications(plan, "inverse of"), 12U);
}

TEST(KfacUpdates, EverySystemHasPeriods) {
  for (const char* schedule : {"d-kfac", "mpd-kfac", "kaisa", "spd-kfac", "pad-kfac", "dp-kfac"})
    EXPECT_EQ(steps_of(plan_of(schedule, {{"inverse_interval", "3"}})), 3U) << schedule;
}

TEST(KfacUpdates, RefusesIntervalsThatDoNotFit) {
  EXPECT_EQ(input_error_of([] {
              plan_of("d-kfac", {{"factor_interval", "2"}, {"inverse_interval", "5"}});
            }),
            "d-kfac: option inverse_interval: expected a multiple of factor_interval, 2, found 5");
  EXPECT_EQ(input_error_of([] {
              plan_of("d-kfac", {{"inverse_interval", "5"}, {"update", "none"}});
            }),
            "d-kfac: option update: expected inverses where intervals are above 1, found none");
  EXPECT_NE(input_error_of([] { plan_of("d-kfac", {{"inverse_interval", "0"}}); }), "");
}

// 1,024 steps that average 1,024 metrics, each a reduction and an update: over 2,097,152 tasks.
TEST(KfacUpdates, RefusesAPeriodOfTooManyTasks) {
  const std::string error = input_error_of([] {
    plan_of("d-kfac", {{"inverse_interval", "1024"}, {"metrics", "1024"}});
  });
  EXPECT_TRUE(error.starts_with("d-kfac: a period of 1024 steps would be a plan of 2")) << error;
  EXPECT_TRUE(error.ends_with("tasks; expected intervals that make at most 2000000")) << error;
}

}  // namespace
}  // namespace stepcast
