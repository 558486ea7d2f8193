// The optimizer's update is computed once a step, whatever the schedule.
#include <algorithm>

#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "sim/forecast/forecast.hpp"
#include "tests/support/examples.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

constexpr Seconds kUpdate{20e-3};

class UpdateTime : public ::testing::TestWithParam<std::string> {
 protected:
  // Communication would stretch what it overlaps.
  UpdateTime() {
    cluster_.nodes = 2;
    cluster_.overlap.compute_slowdown = 0;
  }

  Forecast forecast_of(const Workload& workload, const ScheduleOptions& set = {}) const {
    const ScheduleOptions options = effective_options(schedule_of(GetParam()), set);
    const Plan plan = build_plan(GetParam(), workload, cluster_, options);
    const EngineOptions engine{.fidelity = Fidelity::Analytic};
    const Timeline timeline = simulate(plan, cluster_, engine);
    return make_forecast(workload, cluster_, plan, options, engine.fidelity, timeline);
  }

  Workload with_update(Workload workload) const {
    workload.update = kUpdate;
    return workload;
  }

  Cluster cluster_ = load_cluster("rtx2080ti-16x4-ib100");
  Workload resnet_ = load_workload("resnet50-rtx2080ti-bs32");
};

Seconds update_of(const Forecast& forecast) {
  const auto& times = forecast.breakdown.other_compute;
  const auto found = std::ranges::find(times, "update", &NamedTime::name);
  return found == times.end() ? Seconds{} : found->time;
}

Seconds compute_of(const Forecast& forecast) {
  const Breakdown& parts = forecast.breakdown;
  return parts.forward + parts.backward + total_of(parts.other_compute);
}

// A rank of a sharded optimizer updates its shard, an eighth; every other updates all.
Seconds expected(const std::string& schedule) {
  return schedule == "zero" ? kUpdate / 8 : kUpdate;
}

TEST_P(UpdateTime, IsComputedOnceAStep) {
  const Forecast without = forecast_of(resnet_);
  const Forecast with = forecast_of(with_update(resnet_));
  EXPECT_NEAR(update_of(without).value, 0, 1e-9);
  EXPECT_NEAR(update_of(with).value, expected(GetParam()).value, 1e-9);
  EXPECT_NEAR((compute_of(with) - compute_of(without)).value, expected(GetParam()).value, 1e-9);
  EXPECT_NEAR(total_of(with.breakdown) / with.iteration_time, 1, 1e-9);
  // What the compute stream gets to do takes it no less time.
  EXPECT_GE(with.iteration_time.value, compute_of(with).value - 1e-9);
}

TEST_P(UpdateTime, IsComputedOnceAStepOfSeveralPasses) {
  const ScheduleOptions passes{{"accumulation", "3"}};
  EXPECT_NEAR(update_of(forecast_of(with_update(resnet_), passes)).value,
              expected(GetParam()).value, 1e-9);
}

// Whose parameters are updated is not known: all at once, before the next forward pass.
TEST_P(UpdateTime, IsComputedWhereNoParametersAreKnown) {
  const ScheduleInfo& schedule = schedule_of(GetParam());
  const bool first_order =
      std::ranges::count(first_order_schedules(), schedule.name, &ScheduleInfo::name) > 0;
  if (!first_order)
    GTEST_SKIP() << "compression and K-FAC need parameters";
  for (Layer& layer : resnet_.layers)
    layer.parameters.clear();
  EXPECT_NEAR(update_of(forecast_of(with_update(resnet_))).value, expected(GetParam()).value, 1e-9);
}

std::vector<std::string> names_of_all() {
  std::vector<std::string> names;
  for (const ScheduleInfo& schedule : data_parallel_schedules())
    names.push_back(schedule.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(AllSchedules, UpdateTime, ::testing::ValuesIn(names_of_all()),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::erase(name, '-');
                           return name;
                         });

// Two layers of 10 ms forward and 1 : 3 of the parameters, no network: a layer is updated before
// its forward pass, in 5 and 15 ms.
TEST(UpdateByLayer, IsSharedByParameters) {
  Workload workload = examples::uniform_workload(2, Seconds{10e-3}, Seconds{10e-3}, 1000);
  workload.layers[1].parameters[0].elements = 3000;
  workload.update = kUpdate;
  const Plan plan = build_plan("bytescheduler", workload, examples::plain_cluster(2), {});
  std::vector<Seconds> updates;
  for (TaskId id = 0; id < plan.graph.size(); ++id)
    if (plan.graph.task(id).kind == TaskKind::Update)
      updates.push_back(plan.graph.task(id).duration);
  ASSERT_EQ(updates.size(), 2U);
  EXPECT_NEAR(updates[0].value, 5e-3, 1e-12);
  EXPECT_NEAR(updates[1].value, 15e-3, 1e-12);
}

}  // namespace
}  // namespace stepcast
