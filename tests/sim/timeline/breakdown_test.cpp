#include "sim/timeline/breakdown.hpp"

#include <random>

#include <gtest/gtest.h>

#include "tests/sim/timeline/hand_made.hpp"

namespace stepcast {
namespace {

Seconds named(const std::vector<NamedTime>& times, const std::string& name) {
  for (const NamedTime& part : times)
    if (part.name == name)
      return part.time;
  ADD_FAILURE() << "no line " << name;
  return {};
}

TEST(BreakdownTest, AGapBeforeACommunicationIsIdleAndTheCommunicationIsExposed) {
  const Breakdown parts = breakdown_of(serial_plan(), serial_timeline(), 0);
  EXPECT_NEAR(parts.forward.value, 2e-3, 1e-12);
  EXPECT_NEAR(parts.backward.value, 4e-3, 1e-12);
  EXPECT_NEAR(named(parts.exposed_communication, "all-reduce").value, 3.5e-3, 1e-12);
  EXPECT_NEAR(parts.idle.value, 0.5e-3, 1e-12);
  EXPECT_DOUBLE_EQ(parts.waiting.value, 0);
  EXPECT_NEAR(total_of(parts).value, 10e-3, 1e-14);
}

/// The all-gather of an iteration runs from 5 ms to 12 ms, that is 2 ms into the next one of 10 ms,
/// whose second layer waits for it; the backward pass hides 5..7, 7..10 and 1..2 are exposed.
std::vector<HandTask> wrapping_tasks() {
  return {{TaskKind::Forward, "conv", {{0, 1}}},
          {TaskKind::Forward, "fc", {{2, 3}}},
          {TaskKind::Backward, "fc", {{3, 5}}},
          {TaskKind::Backward, "conv", {{5, 7}}},
          {TaskKind::Communication, "group 1", {{5, 12}}, 1, CollectiveKind::AllGather},
          {TaskKind::Update, "update", {{7, 7}}}};
}

TEST(BreakdownTest, ACommunicationThatReachesIntoTheNextIterationIsWrapped) {
  const Plan plan = plan_of(wrapping_tasks(), {{2, 4}}, {{4, 1}});
  const Timeline timeline = timeline_of(wrapping_tasks(), ms(10));
  const Breakdown parts = breakdown_of(plan, timeline, 0);
  EXPECT_NEAR(named(parts.exposed_communication, "all-gather").value, 4e-3, 1e-12);
  EXPECT_NEAR(parts.idle.value, 0, 1e-12);
  EXPECT_DOUBLE_EQ(named(parts.other_compute, "update").value, 0);
  const auto busy =
      communication_of(plan, window_of(plan, timeline, 0, latest_ready_of(plan, timeline)));
  EXPECT_NEAR(named(busy, "all-gather").value, 7e-3, 1e-12);
}

TEST(BreakdownTest, ComputeAloneHasTheTimesThatItHasBesideCommunications) {
  // The update runs from 9 ms to 11 ms: the last of it at the begin of the iteration of 10 ms.
  std::vector<HandTask> tasks = wrapping_tasks();
  tasks[0].runs[0] = {1, 2};
  tasks[5].runs[0] = {9, 11};
  const Plan plan = plan_of(tasks, {{2, 4}}, {{4, 1}});
  const Timeline timeline = timeline_of(tasks, ms(10));
  const std::vector<TaskId> compute{0, 1, 2, 3, 5};
  const Breakdown whole = breakdown_of(plan, timeline, 0);
  const Breakdown alone = breakdown_of(plan, compute_window_of(plan, timeline, 0, compute));
  EXPECT_EQ(alone.forward, whole.forward);
  EXPECT_EQ(alone.backward, whole.backward);
  EXPECT_EQ(named(alone.other_compute, "update"), named(whole.other_compute, "update"));
  EXPECT_NEAR(named(alone.other_compute, "update").value, 2e-3, 1e-12);
  EXPECT_NEAR(alone.idle.value, 2e-3, 1e-12);  // 7 to 9 ms, where the whole window communicates
}

// Messages inside layers stand on the compute stream, from 1 ms to 3 ms and from 4 ms to 5 ms.
TEST(BreakdownTest, MessagesOnTheComputeStreamAreExposedCommunication) {
  const std::string phase(kMessagesInLayers);
  const std::vector<HandTask> tasks = {
      {TaskKind::Forward, "fc", {{0, 1}}},
      {.kind = TaskKind::OtherCompute, .label = phase, .runs = {{1, 3}}, .phase = phase},
      {TaskKind::Backward, "fc", {{3, 4}}},
      {.kind = TaskKind::OtherCompute, .label = phase, .runs = {{4, 5}}, .phase = phase}};
  const Breakdown parts = breakdown_of(plan_of(tasks, {}, {}), timeline_of(tasks, ms(5)), 0);
  EXPECT_NEAR(named(parts.exposed_communication, phase).value, 3e-3, 1e-12);
  EXPECT_TRUE(parts.other_compute.empty());
  EXPECT_NEAR(total_of(parts).value, 5e-3, 1e-12);
}

TEST(BreakdownTest, WhereTwoCommunicationsRunTheOneThatStartedFirstIsExposed) {
  // Compute 0..2; reduce-scatter 1..6, all-gather 4..8: exposed 2..6 and 6..8.
  const std::vector<HandTask> tasks = {
      {TaskKind::Forward, "conv", {{0, 2}}},
      {TaskKind::Communication, "b", {{4, 8}}, 2, CollectiveKind::AllGather},
      {TaskKind::Communication, "a", {{1, 6}}, 1, CollectiveKind::ReduceScatter}};
  const Breakdown parts = breakdown_of(plan_of(tasks, {}, {}), timeline_of(tasks, ms(8)), 0);
  EXPECT_NEAR(named(parts.exposed_communication, "reduce-scatter").value, 4e-3, 1e-12);
  EXPECT_NEAR(named(parts.exposed_communication, "all-gather").value, 2e-3, 1e-12);
}

/// Class 0 is a straggler that computes until 6 ms; class 1 is done at 4 ms.
std::vector<HandTask> straggler_tasks() {
  return {{TaskKind::Forward, "conv", {{0, 2}, {0, 1}}},
          {TaskKind::Backward, "conv", {{2, 6}, {1, 4}}},
          {TaskKind::Communication, "bucket 0", {{6.5, 9, 6}, {6.5, 9, 4}}, 1}};
}

TEST(BreakdownTest, AFastRankWaitsUntilTheSlowestIsReadyAndIsIdleFromThenToTheStart) {
  const Plan plan = plan_of(straggler_tasks(), {{1, 2}}, {{2, 0}});
  const Timeline timeline = timeline_of(straggler_tasks(), ms(9));
  EXPECT_EQ(extremes_of(plan, timeline).slowest, 0U);
  EXPECT_EQ(extremes_of(plan, timeline).fastest, 1U);
  const Breakdown fast = breakdown_of(plan, timeline, 1);
  EXPECT_NEAR(fast.waiting.value, 2e-3, 1e-12);  // 4..6
  EXPECT_NEAR(fast.idle.value, 0.5e-3, 1e-12);   // 6..6.5
  EXPECT_NEAR(named(fast.exposed_communication, "all-reduce").value, 2.5e-3, 1e-12);
  const Breakdown slow = breakdown_of(plan, timeline, 0);
  EXPECT_DOUBLE_EQ(slow.waiting.value, 0);
  EXPECT_NEAR(slow.idle.value, 0.5e-3, 1e-12);
}

TEST(BreakdownTest, ARankOutsideTheGroupOfACommunicationHasNoPartInIt) {
  std::vector<HandTask> tasks = straggler_tasks();
  tasks[2].runs[1] = {0, -1};
  const Breakdown parts =
      breakdown_of(plan_of(tasks, {{1, 2}}, {{2, 0}}), timeline_of(tasks, ms(9)), 1);
  EXPECT_NEAR(parts.idle.value, 5e-3, 1e-12);  // 4..9
  EXPECT_DOUBLE_EQ(total_of(parts.exposed_communication).value, 0);
}

HandTask other_task(const std::string& label, Ran ran, const std::string& phase,
                    StreamId stream = 0) {
  return {.kind = TaskKind::OtherCompute,
          .label = label,
          .runs = {ran},
          .stream = stream,
          .phase = phase};
}

TEST(BreakdownTest, OtherComputeIsNamedByItsPhaseWhateverItsLabel) {
  const std::vector<HandTask> tasks = {other_task("inverse of conv", {0, 1}, "inverse"),
                                       other_task("forward of fc", {1, 2}, "inverse"),
                                       other_task("all of it", {2, 5}, "compression"),
                                       other_task("inverse", {5, 6}, ""),
                                       {TaskKind::Update, "sgd", {{6, 8}}}};
  const Breakdown parts = breakdown_of(plan_of(tasks, {}, {}), timeline_of(tasks, ms(8)), 0);
  ASSERT_EQ(parts.other_compute.size(), 4U);
  EXPECT_NEAR(named(parts.other_compute, "inverse").value, 2e-3, 1e-12);
  EXPECT_NEAR(named(parts.other_compute, "compression").value, 3e-3, 1e-12);
  EXPECT_NEAR(named(parts.other_compute, "other").value, 1e-3, 1e-12);
  EXPECT_NEAR(named(parts.other_compute, "update").value, 2e-3, 1e-12);
}

TEST(BreakdownTest, ComputeOnAnotherStreamFillsAGapAsComputeNotAsCommunication) {
  const std::vector<HandTask> tasks = {{TaskKind::Forward, "conv", {{0, 2}}},
                                       other_task("pack", {1, 3}, "pack", 1)};
  const Breakdown parts = breakdown_of(plan_of(tasks, {}, {}), timeline_of(tasks, ms(4)), 0);
  EXPECT_NEAR(named(parts.other_compute, "pack").value, 1e-3, 1e-12);
  EXPECT_NEAR(parts.idle.value, 1e-3, 1e-12);
}

TEST(BreakdownTest, RoundingBetweenTasksIsNotReportedAsIdle) {
  std::vector<HandTask> tasks = serial_tasks();
  tasks[1].runs[0].start += 1e-12;  // 1e-15 s
  const Breakdown parts = breakdown_of(serial_plan(), timeline_of(tasks, ms(10)), 0);
  EXPECT_NEAR(parts.idle.value, 0.5e-3, 1e-16);
}

TEST(BreakdownTest, ThePartsAddUpToTheIterationWhateverTheTimelineLooksLike) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> time(0, 25);
  for (int round = 0; round < 200; ++round) {
    std::vector<HandTask> tasks;
    for (int i = 0; i < 12; ++i) {
      const double start = time(random);
      const bool communication = i % 3 != 0;
      tasks.push_back({communication ? TaskKind::Communication : TaskKind::Forward,
                       "t",
                       {{start, start + time(random), start / 2}, {start, start + 1, start / 3}},
                       static_cast<StreamId>(communication ? 1 + i % 2 : 0),
                       i % 2 == 0 ? CollectiveKind::AllReduce : CollectiveKind::AllGather});
    }
    const Timeline timeline = timeline_of(tasks, ms(1 + time(random)));
    const Breakdown parts = breakdown_of(plan_of(tasks, {}, {}), timeline, 0);
    const double iteration = timeline.iteration_time.value;
    ASSERT_NEAR(total_of(parts).value / iteration, 1, 1e-12) << "round " << round;
  }
}

}  // namespace
}  // namespace stepcast
