#include "traces/replay/recorded_delays.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace stepcast {
namespace {

RecordedTask task(std::uint16_t stream, RecordedKind kind, double start, double duration) {
  return {.stream = stream,
          .kind = kind,
          .start = Seconds{start},
          .duration = Seconds{duration},
          .label = "task"};
}

std::vector<RecordedTask> delays_of(const RecordedStep& step) {
  std::vector<RecordedTask> delays;
  std::ranges::copy_if(step.tasks, std::back_inserter(delays),
                       [](const RecordedTask& t) { return t.kind == RecordedKind::Delay; });
  return delays;
}

RecordedStep with_delays(std::vector<RecordedTask> tasks,
                         std::vector<std::pair<std::uint32_t, std::uint32_t>> edges,
                         StreamEnds ends = {}) {
  std::vector<RecordedStep> steps(1);
  steps[0].streams = {"host", "device stream 7"};
  steps[0].tasks = std::move(tasks);
  steps[0].edges = std::move(edges);
  add_delays(steps, std::move(ends));
  return steps[0];
}

TEST(RecordedDelays, ALaunchTakesItsWayBesideTheStream) {
  // Launched at 2, started at 5 on an idle device.
  const RecordedStep step = with_delays(
      {task(0, RecordedKind::Host, 0, 2), task(1, RecordedKind::Kernel, 5, 10)}, {{0, 1}});
  const auto delays = delays_of(step);
  ASSERT_EQ(delays.size(), 1U);
  EXPECT_EQ(step.streams[delays[0].stream], "launches to device stream 7");
  EXPECT_EQ(delays[0].start, Seconds{2});
  EXPECT_EQ(delays[0].duration, Seconds{3});
}

TEST(RecordedDelays, WorkThatStartsWithItsPredecessorsEndHasNone) {
  EXPECT_TRUE(delays_of(with_delays({task(0, RecordedKind::Host, 0, 2),
                                     task(1, RecordedKind::Kernel, 2, 10),
                                     task(1, RecordedKind::Kernel, 12, 10)},
                                    {{0, 1}, {0, 2}}))
                  .empty());
}

TEST(RecordedDelays, KernelsOfAGraphKeepTheGapsBetweenThem) {
  // One launch; the second kernel starts 4 behind the first.
  const auto delays = delays_of(
      with_delays({task(0, RecordedKind::Host, 0, 2), task(1, RecordedKind::Kernel, 2, 10),
                   task(1, RecordedKind::Kernel, 16, 10)},
                  {{0, 1}, {0, 2}}));
  ASSERT_EQ(delays.size(), 1U);
  EXPECT_EQ(delays[0].stream, 1);
  EXPECT_EQ(delays[0].start, Seconds{12});
  EXPECT_EQ(delays[0].duration, Seconds{4});
}

TEST(RecordedDelays, AStreamThatIsBusyFromBeforeTheStepExplainsTheWait) {
  const StreamEnds ends{{"device stream 7", Seconds{5}}};
  EXPECT_TRUE(delays_of(with_delays({task(0, RecordedKind::Host, 0, 2),
                                     task(1, RecordedKind::Kernel, 5, 10)},
                                    {{0, 1}}, ends))
                  .empty());
}

// The sum of start and duration may exceed the recorded start of what waits by a rounding error.
TEST(RecordedDelays, AWaitForACollectiveSurvivesRounding) {
  std::vector<RecordedStep> steps(1);
  steps[0].streams = {"host", "device stream 7", "device stream 20"};
  steps[0].tasks = {task(0, RecordedKind::Host, 0, 2), task(1, RecordedKind::Kernel, 2, 10),
                    task(2, RecordedKind::Collective, 12, 18 + 1e-12),
                    task(1, RecordedKind::Kernel, 30, 10)};
  steps[0].edges = {{0, 1}, {0, 2}, {1, 2}, {0, 3}};
  add_delays(steps, {});
  EXPECT_TRUE(delays_of(steps[0]).empty());
  EXPECT_NE(std::ranges::find(steps[0].edges, std::pair<std::uint32_t, std::uint32_t>{2, 3}),
            steps[0].edges.end());
}

TEST(RecordedDelays, ADelayThatEndsWithACollectiveIsAWaitForIt) {
  // The second kernel could start at 12 and does at 31, a second behind the collective.
  std::vector<RecordedStep> steps(1);
  steps[0].streams = {"host", "device stream 7", "device stream 20"};
  steps[0].tasks = {task(0, RecordedKind::Host, 0, 2), task(1, RecordedKind::Kernel, 2, 10),
                    task(2, RecordedKind::Collective, 12, 18),
                    task(1, RecordedKind::Kernel, 31, 10)};
  steps[0].edges = {{0, 1}, {0, 2}, {1, 2}, {0, 3}};
  add_delays(steps, {});
  const auto delays = delays_of(steps[0]);
  ASSERT_EQ(delays.size(), 1U);
  EXPECT_EQ(delays[0].start, Seconds{30});
  EXPECT_EQ(delays[0].duration, Seconds{1});
  EXPECT_NE(std::ranges::find(steps[0].edges, std::pair<std::uint32_t, std::uint32_t>{2, 4}),
            steps[0].edges.end());
}

}  // namespace
}  // namespace stepcast
