// Steps whose host launches what the device computes.
#include <algorithm>

#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "sim/engine/engine.hpp"
#include "sim/timeline/breakdown.hpp"
#include "tests/support/examples.hpp"

namespace stepcast {
namespace {

/// 10 layers of 1 ms forward and 2 ms backward, a kernel each way; by default hardly any gradients.
Workload ten_layers(std::uint64_t elements = 1) {
  Workload workload = examples::uniform_workload(10, {1e-3}, {2e-3}, elements);
  for (Layer& layer : workload.layers)
    layer.forward_launches = layer.backward_launches = 1;
  return workload;
}

struct Steps {
  Plan plan;
  Timeline timeline;
  double step() const { return timeline.mean_iteration_time().value; }
};

Steps run(const std::string& schedule, const Software& software,
          const ScheduleOptions& options = {}, const EngineOptions& engine = {},
          const Workload& workload = ten_layers()) {
  Cluster cluster = examples::plain_cluster(4);
  cluster.software = software;
  Plan plan = build_plan(schedule, workload, cluster, options);
  Timeline timeline = simulate(plan, cluster, engine);
  EXPECT_TRUE(timeline.steady);
  return {std::move(plan), std::move(timeline)};
}

double row_of(const Steps& ran, const std::string& phase) {
  const Breakdown parts = breakdown_of(ran.plan, ran.timeline, 0);
  const auto row = std::ranges::find(parts.other_compute, phase, &NamedTime::name);
  return row == parts.other_compute.end() ? -1 : row->time.value;
}

TEST(Host, ThatIsFasterThanItsDeviceDoesNotShow) {
  for (const char* schedule : {"bsp", "wfbp", "ddp", "dear", "zero"}) {
    const double without = run(schedule, {}).step();
    const Steps with = run(schedule, {.host_per_launch{20e-6}, .host_per_gradient{50e-6}});
    EXPECT_NEAR(with.step(), without, 1e-4) << schedule;
    EXPECT_NEAR(row_of(with, "host"), 0, 1e-4) << schedule;
  }
}

// Twenty launches of 2 ms, or ten gradients, parameters or all-reduces of 4 ms.
TEST(Host, ThatIsSlowerIsWhatAStepTakes) {
  for (const Software& software :
       {Software{.host_per_launch{2e-3}}, Software{.host_per_gradient{4e-3}},
        Software{.host_per_update{4e-3}}, Software{.host_per_collective{4e-3}}})
    EXPECT_NEAR(run("wfbp", software).step(), 0.040, 1e-4);
}

// The device computes 30 of 40 ms and waits for its host in the rest.
TEST(Host, HasARowOfItsOwn) {
  const Steps slow = run("wfbp", {.host_per_launch{2e-3}});
  EXPECT_NEAR(row_of(slow, "host"), 0.010, 1e-4);
  EXPECT_EQ(row_of(run("wfbp", {}), "host"), -1);
}

// It goes on to the next step while the device waits for all-reduces.
TEST(Host, ThatIsAheadIsNoPartOfWhatIsWaitedFor) {
  const Workload large = ten_layers(10'000'000);
  const Steps ran = run("wfbp", {.host_per_gradient{1e-3}}, {}, {}, large);
  EXPECT_GT(ran.step(), 0.040);
  EXPECT_NEAR(row_of(ran, "host"), 0, 1e-4);
}

TEST(Host, IsTheSameFoldedAndUnfolded) {
  for (const char* schedule : {"horovod", "zero", "ps"}) {
    const Software costs{.host_per_gradient{1e-3}, .host_per_update{1e-3}};
    EXPECT_NEAR(run(schedule, costs).step(), run(schedule, costs, {}, {.fold = false}).step(), 1e-9)
        << schedule;
  }
}

// Horovod's step waits for its all-reduces on the host, so the updates are launched behind them;
// on an in-order stream the device waits, and they are launched ahead.
TEST(Host, OfHorovodLaunchesUpdatesBehindTheAllReduces) {
  const Software updates{.host_per_update{1e-3}};
  EXPECT_NEAR(run("wfbp", updates).step(), run("wfbp", {}).step(), 1e-4);
  const double cycle = 1e-3;
  EXPECT_NEAR(run("horovod", updates).step() - run("horovod", {}).step(), 0.010, cycle);
}

// run_ahead=on: the first gradient is announced when it has been handed over, not at the end of the
// forward pass.
TEST(Host, AnnouncesGradientsAtItsOwnPace) {
  const Steps ahead = run("horovod", {.host_per_launch{1e-4}}, {{"run_ahead", "on"}});
  ASSERT_EQ(ahead.plan.announcements.size(), 10U);
  for (const auto& [announcer, gradient] : ahead.plan.announcements)
    EXPECT_EQ(ahead.plan.labels[ahead.plan.graph.task(announcer).label], "hand-over");
}

// On the compute stream they take 10 ms. They used to leave it once any cost was given, however
// small: 1 ns of a collective made ByteScheduler a quarter faster.
TEST(Host, LeavesTheHooksOfByteSchedulerOnTheDevice) {
  Software software{.bytescheduler_hook{1e-3}};
  EXPECT_NEAR(run("bytescheduler", software).step(), 0.040, 2e-4);
  software.host_per_launch = Seconds{1e-6};
  software.host_per_collective = Seconds{1e-9};
  EXPECT_NEAR(run("bytescheduler", software).step(), 0.040, 2e-4);
}

// A host that does them is still ahead; a hook that the user gives stays.
TEST(Host, TakesTheHooksOfByteSchedulerWhereItsTimeForAGradientIsGiven) {
  const Software software{.bytescheduler_hook{1e-3}, .host_per_gradient{1e-3}};
  const Steps ran = run("bytescheduler", software);
  EXPECT_NEAR(ran.step(), 0.030, 1e-3);
  ASSERT_EQ(ran.plan.notes.size(), 1U);
  EXPECT_EQ(ran.plan.notes.front().text,
            "ByteScheduler's hooks take software.host_per_gradient, on the host's stream, in place "
            "of software.bytescheduler_hook on the device's.");
  EXPECT_NEAR(run("bytescheduler", software, {{"hook", "1ms"}}).step(), 0.040, 2e-4);
}

// 20 steps, all but the first alike.
TEST(Host, WorksInEveryStepOfALongPeriod) {
  const ScheduleOptions period{
      {"threshold_every", "20"}, {"selection", "free"}, {"density", "0.01"}};
  EXPECT_NEAR(run("dct", {.host_per_gradient{4e-3}}, period).step(), 20 * 0.040, 1e-3);
}

TEST(Host, IsTheSameInAllFidelities) {
  for (const Fidelity fidelity : {Fidelity::Analytic, Fidelity::Flow, Fidelity::Step})
    EXPECT_NEAR(run("wfbp", {.host_per_launch{2e-3}}, {}, {.fidelity = fidelity}).step(), 0.040,
                1e-4);
}

// Nobody is there to hand it over to.
TEST(Host, HandsNothingOverAlone) {
  Cluster one = examples::plain_cluster(1);
  const Plan plain = build_plan("wfbp", ten_layers(), one, {});
  one.software.host_per_collective = Seconds{4e-3};
  EXPECT_NEAR(simulate(build_plan("wfbp", ten_layers(), one, {}), one, {}).iteration_time /
                  simulate(plain, one, {}).iteration_time,
              1, 1e-6);
}

TEST(Host, FitsEverySchedule) {
  for (const ScheduleInfo& schedule : first_order_schedules()) {
    const double without = run(schedule.name, {}).step();
    EXPECT_GE(run(schedule.name, {.host_per_launch{1e-3}, .host_per_collective{1e-5}}).step(),
              without * (1 - 1e-3))
        << schedule.name;
  }
}

}  // namespace
}  // namespace stepcast
