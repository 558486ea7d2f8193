// Studies that a signal ends early: what is there is kept, and is what the whole study finds.
#include <algorithm>
#include <csignal>

#include <gtest/gtest.h>

#include "sim/search/plan/capacity_plan.hpp"
#include "sim/study/goodput/goodput.hpp"
#include "sim/study/parts_breakdown.hpp"
#include "sim/workers/stop.hpp"

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

TEST(StoppedStudy, AnAblationKeepsItsPartsBeforeTheFirstThatIsMissing) {
  const StopsBetweenJobs stops;
  Scenario scenario = scenario_of(kfac_job());
  const PartsBreakdown whole = find_parts_breakdown(scenario, PartsProtocol::Ablation, {});
  const PartsBreakdown breakdown =
      find_parts_breakdown(scenario, PartsProtocol::Ablation, stopped_after(2));
  EXPECT_EQ(whole.missing, 0U);
  EXPECT_GE(breakdown.parts.size(), 2U);
  EXPECT_EQ(breakdown.parts.size() + breakdown.missing, whole.parts.size());
  for (std::size_t i = 0; i < breakdown.parts.size(); ++i) {
    EXPECT_EQ(breakdown.parts[i].name, whole.parts[i].name);
    EXPECT_EQ(breakdown.parts[i].time, whole.parts[i].time);
  }
}

PlanRequest small_plan() {
  ::setenv("STEPCAST_DATA", STEPCAST_SOURCE_DIR, 1);
  return {.workload = "resnet50-rtx2080ti-bs32",
          .clusters = {"rtx2080ti-16x4-10gbe", "rtx2080ti-16x4-ib100"},
          .gpus = {4, 8, 16},
          .options = {{"fusion_buffer", {"5MiB", "25MiB"}}},
          .prices = "rented-2024"};
}

// Ctrl-C took all that had been simulated with it.
TEST(StoppedStudy, APlanKeepsWhatIsSimulated) {
  const StopsBetweenJobs stops;
  constexpr std::uint32_t kOneWorker = 1;
  const CapacityPlan whole = find_plan(small_plan(), kOneWorker, [] {});
  const CapacityPlan plan = find_plan(small_plan(), kOneWorker, stopped_after(3).finished);
  EXPECT_GE(plan.choices.size(), 3U);
  EXPECT_LT(plan.choices.size(), whole.choices.size());
  EXPECT_GT(plan.open, whole.open);
  EXPECT_TRUE(plan.changes.empty());
  ASSERT_FALSE(plan.outlook.empty());
  EXPECT_EQ(plan.outlook.front(),
            "Stopped by a signal: what was not simulated by then may be better.");
  for (const PlanChoice& choice : plan.choices)
    EXPECT_TRUE(std::ranges::any_of(whole.choices, [&](const PlanChoice& same) {
      return same.trial.site == choice.trial.site && same.trial.schedule == choice.trial.schedule &&
             same.trial.options == choice.trial.options && same.hours == choice.hours;
    })) << choice.layout;
}

TEST(StoppedStudy, APlanKeepsItsSearchWhenItIsStoppedBehindIt) {
  const StopsBetweenJobs stops;
  PlanRequest request = small_plan();
  request.most_simulated = 50;
  int simulated = 0;
  const CapacityPlan found =
      search_plan(plan_space_of(request), 1, request.most_simulated, [&] { ++simulated; });
  const CapacityPlan plan = find_plan(request, 1, stopped_after(simulated + 1).finished);
  EXPECT_GE(plan.choices.size(), found.choices.size());
  EXPECT_EQ(plan.open, found.open);
  EXPECT_EQ(plan.bounded, found.bounded);
}

TEST(StoppedStudy, NothingOfAPlanIsKeptBeforeTheFirstIsSimulated) {
  const StopsBetweenJobs stops;
  ask_to_stop(SIGINT);
  EXPECT_THROW(find_plan(small_plan(), 1, [] {}), Stopped);
}

/// As one that a signal ended leaves it.
void end_a_study() {
  const StopsBetweenJobs stops;
  ask_to_stop(SIGINT);
}

TEST(StoppedStudy, TheNextStudyOfTheProcessIsWhole) {
  const GoodputRequest request{
      .mtbf = Seconds{11138}, .costs = {Seconds{30}, Seconds{600}}, .seeds = 20};
  const Goodput before = find_goodput(request);
  end_a_study();
  EXPECT_EQ(find_goodput(request).seeds, before.seeds);
  end_a_study();
  EXPECT_GT(try_spares(request).size(), 1U);
}

}  // namespace
}  // namespace stepcast
