// Studies that a signal ends early: what is there is kept, and is what the whole study finds.
#include <csignal>
#include <map>

#include <gtest/gtest.h>

#include "sim/study/parts_breakdown.hpp"
#include "sim/study/stop.hpp"
#include "sim/study/sweep/scaling.hpp"

namespace stepcast {
namespace {

Experiment kfac_job() {
  ::setenv("STEPCAST_DATA", STEPCAST_SOURCE_DIR, 1);
  return {.workload = "resnet50-rtx2080ti-bs32",
          .cluster = "rtx2080ti-16x4-ib100",
          .schedules = {"spd-kfac"}};
}

/// Rules of one worker under which the study is stopped when `count` of its forecasts are there.
StudyRules stopped_after(int count) {
  return {.workers = 1, .finished = [left = count]() mutable {
            if (--left == 0)
              ask_to_stop(SIGINT);
          }};
}

// What the worker had told by then may be more than was waited for, never less.
TEST(StoppedStudy, ACurveKeepsItsSizesBeforeTheFirstThatIsMissing) {
  const StopsBetweenJobs stops;
  Experiment job = kfac_job();
  job.schedules = {"wfbp", "dear"};
  const Sweep sweep = plan_scaling({.base = job, .axes = {}}, {1, 2, 512});
  std::map<std::uint32_t, ScalingPoint> came;
  const Scaling scaling = find_scaling(
      sweep, stopped_after(3),
      [&](std::uint32_t number, const ScalingPoint& point) { came.emplace(number, point); });
  EXPECT_GE(came.size(), 3U);
  ASSERT_EQ(scaling.curves.size(), 2U);
  EXPECT_EQ(scaling.curves[0].schedule, "wfbp");
  EXPECT_EQ(scaling.sizes.size(), came.size() / 2);  // those with both schedules
  for (const ScalingCurve& curve : scaling.curves)
    EXPECT_EQ(curve.steps.size(), scaling.sizes.size());
  EXPECT_EQ(scaling.curves[1].steps[0], came.at(1).step);
  EXPECT_EQ(came.at(2).size.nodes, 2U);
}

TEST(StoppedStudy, NothingOfAScalingIsKeptBeforeItsFirstSizeIsThere) {
  const StopsBetweenJobs stops;
  const Sweep sweep = plan_scaling({.base = kfac_job(), .axes = {}}, {512, 256});
  ask_to_stop(SIGINT);
  EXPECT_THROW(find_scaling(sweep, {}), Stopped);
}

TEST(StoppedStudy, AnAblationKeepsItsPartsBeforeTheFirstThatIsMissing) {
  const StopsBetweenJobs stops;
  Scenario scenario = scenario_of(kfac_job());
  const PartsBreakdown whole = find_parts_breakdown(scenario, PartsProtocol::Ablation, {});
  std::vector<NamedTime> came;
  const PartsBreakdown breakdown =
      find_parts_breakdown(scenario, PartsProtocol::Ablation, stopped_after(2),
                           [&](const NamedTime& part) { came.push_back(part); });
  EXPECT_EQ(whole.missing, 0U);
  EXPECT_GE(breakdown.parts.size(), 2U);
  EXPECT_EQ(breakdown.parts.size() + breakdown.missing, whole.parts.size());
  EXPECT_EQ(came.size(), breakdown.parts.size());
  for (std::size_t i = 0; i < breakdown.parts.size(); ++i) {
    EXPECT_EQ(breakdown.parts[i].name, whole.parts[i].name);
    EXPECT_EQ(breakdown.parts[i].time, whole.parts[i].time);
  }
}

}  // namespace
}  // namespace stepcast
