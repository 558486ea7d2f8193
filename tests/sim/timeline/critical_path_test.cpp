#include "sim/timeline/critical_path.hpp"

#include <gtest/gtest.h>

#include "sim/timeline/why.hpp"
#include "tests/sim/timeline/hand_made.hpp"

namespace stepcast {
namespace {

std::vector<std::string> words(const Plan& plan, const std::vector<PathSegment>& path) {
  std::vector<std::string> result;
  for (const PathSegment& segment : path)
    result.push_back(describe(plan, segment));
  return result;
}

Seconds length_of(const std::vector<PathSegment>& path) {
  Seconds sum;
  for (const PathSegment& segment : path)
    sum += segment.end - segment.begin;
  return sum;
}

TEST(CriticalPathTest, ASerialStepIsOnItsPathAsAWhole) {
  const Plan plan = serial_plan();
  const auto path = critical_path_of(plan, small_cluster(), serial_timeline(), 0);
  EXPECT_EQ(words(plan, path),
            (std::vector<std::string>{"forward of conv .. fc", "backward of fc .. conv", "idle",
                                      "all-reduce \"bucket 0\""}));
  EXPECT_NEAR(path.front().begin.value, 0, 1e-12);
  EXPECT_NEAR(path.back().end.value, 10e-3, 1e-12);
  EXPECT_NEAR(length_of(path).value, 10e-3, 1e-12);
}

/// The communication stream is never free: the path follows it, and not the backward pass that it
/// hides. B1 2..4 makes bucket 1 ready, which runs 4..9; bucket 0 follows 9..14; T = 14.
TEST(CriticalPathTest, APathThroughABusyStreamLeavesOutTheComputeThatItHides) {
  const std::vector<HandTask> tasks = {{TaskKind::Forward, "conv", {{0, 1}}},
                                       {TaskKind::Forward, "fc", {{1, 2}}},
                                       {TaskKind::Backward, "fc", {{2, 4}}},
                                       {TaskKind::Communication, "bucket 1", {{4, 9}}, 1},
                                       {TaskKind::Backward, "conv", {{4, 6}}},
                                       {TaskKind::Communication, "bucket 0", {{9, 14, 6}}, 1}};
  const Plan plan = plan_of(tasks, {{2, 3}, {4, 5}}, {{3, 0}, {5, 0}});
  const auto path = critical_path_of(plan, small_cluster(), timeline_of(tasks, ms(14)), 0);
  EXPECT_EQ(words(plan, path),
            (std::vector<std::string>{"forward of conv .. fc", "backward of fc",
                                      "2 all-reduces \"bucket 1\" .. \"bucket 0\""}));
}

// conv waits for the all-gather of two iterations before, which takes 7 of the 4 ms from step to
// step: two are on their way at a time.
TEST(CriticalPathTest, ItGoesOnWhereATaskWaitedForAnEarlierIteration) {
  const std::vector<HandTask> tasks = {
      {TaskKind::Forward, "conv", {{0, 1}}},
      {TaskKind::Communication, "weights", {{1, 8}}, 1, CollectiveKind::AllGather}};
  Plan plan = plan_of(tasks, {{0, 1}}, {});
  plan.streams[1].rule = ByPriority{};
  plan.later = {{.before = 1, .after = 0, .iterations = 2}};
  const auto path = critical_path_of(plan, small_cluster(), timeline_of(tasks, ms(4)), 0);
  EXPECT_EQ(words(plan, path), (std::vector<std::string>{"all-gather \"weights\""}));
  EXPECT_NEAR(length_of(path).value, 4e-3, 1e-12);
}

TEST(CriticalPathTest, ItGoesOnInTheIterationBeforeWhereATaskWaitedForThat) {
  // fc waits for the all-gather of the iteration before, which ends 2 ms into this one.
  const std::vector<HandTask> tasks = {
      {TaskKind::Forward, "conv", {{0, 1}}},
      {TaskKind::Forward, "fc", {{2, 3}}},
      {TaskKind::Backward, "fc", {{3, 10}}},
      {TaskKind::Communication, "group 1", {{10, 12}}, 1, CollectiveKind::AllGather}};
  const Plan plan = plan_of(tasks, {{2, 3}}, {{3, 1}});
  const auto path = critical_path_of(plan, small_cluster(), timeline_of(tasks, ms(10)), 0);
  EXPECT_EQ(words(plan, path), (std::vector<std::string>{"all-gather \"group 1\"", "forward of fc",
                                                         "backward of fc"}));
  EXPECT_NEAR(length_of(path).value, 10e-3, 1e-12);
}

TEST(CriticalPathTest, ItGoesOnOnTheRankThatWasReadyLast) {
  const std::vector<HandTask> tasks = {
      {TaskKind::Forward, "conv", {{0, 5}, {0, 1}}},
      {TaskKind::Backward, "conv", {{5, 6}, {1, 8}}},
      {TaskKind::Communication, "bucket 0", {{8, 9, 6}, {8, 9, 8}}, 1}};
  const Plan plan = plan_of(tasks, {{1, 2}}, {{2, 0}});
  const auto path = critical_path_of(plan, small_cluster(), timeline_of(tasks, ms(9)), 0);
  ASSERT_EQ(words(plan, path), (std::vector<std::string>{"forward of conv", "backward of conv",
                                                         "all-reduce \"bucket 0\""}));
  EXPECT_EQ(path[1].rank_class, 1U);
  EXPECT_NEAR((path[1].end - path[1].begin).value, 7e-3, 1e-12);
}

TEST(CriticalPathTest, OfFusedTensorsItFollowsTheOneThatWasReadyLast) {
  // Both gradients are communicated 5..9 as one; the later one is ready at 4.
  const std::vector<HandTask> tasks = {{TaskKind::Backward, "fc", {{0, 1}}},
                                       {TaskKind::Backward, "conv", {{1, 4}}},
                                       {TaskKind::Communication, "fc.weight", {{5, 9, 1}}, 1},
                                       {TaskKind::Communication, "conv.weight", {{5, 9, 4}}, 1}};
  const Plan plan = plan_of(tasks, {{0, 2}, {1, 3}}, {{2, 0}, {3, 0}}, Negotiated{});
  const auto path = critical_path_of(plan, small_cluster(), timeline_of(tasks, ms(9)), 0);
  ASSERT_EQ(path.size(), 3U);
  EXPECT_EQ(describe(plan, path[0]), "backward of fc .. conv");
  EXPECT_TRUE(path[1].idle);
  EXPECT_NEAR((path[1].end - path[1].begin).value, 1e-3, 1e-12);
  EXPECT_EQ(path[2].count, 1U);
}

TEST(WhyTest, NamesTheBottleneckAndWhatHeldBackWhat) {
  const Plan plan = serial_plan();
  const Timeline timeline = serial_timeline();
  const Window window = window_of(plan, timeline, 0, latest_ready_of(plan, timeline));
  const auto path = critical_path_of(plan, small_cluster(), timeline, 0);
  const auto why = explain(plan, timeline, window, path);
  ASSERT_EQ(why.size(), 3U);
  EXPECT_TRUE(why[0].starts_with("Of the critical path ")) << why[0];
  EXPECT_NE(why[0].find("(60.0 %) is compute"), std::string::npos) << why[0];
  EXPECT_NE(why[0].find("(35.0 %) all-reduce"), std::string::npos) << why[0];
  EXPECT_TRUE(why[1].starts_with("The next step waited ")) << why[1];
  EXPECT_NE(why[1].find("(35.0 % of the step) for all-reduce \"bucket 0\" ("), std::string::npos)
      << why[1];
  EXPECT_NE(why[2].find("while nothing ran (negotiation, launch)"), std::string::npos) << why[2];
}

TEST(WhyTest, ALayerThatIsHeldBackIsNamed) {
  const std::vector<HandTask> tasks = {
      {TaskKind::Forward, "conv", {{0, 1}}},
      {TaskKind::Forward, "fc", {{4, 5}}},
      {TaskKind::Forward, "out", {{5, 10}}},
      {TaskKind::Communication, "group 1", {{10, 14}}, 1, CollectiveKind::AllGather}};
  const Plan plan = plan_of(tasks, {{2, 3}}, {{3, 1}});
  const Timeline timeline = timeline_of(tasks, ms(10));
  const Window window = window_of(plan, timeline, 0, latest_ready_of(plan, timeline));
  const auto found = blockers_of(plan, timeline, window);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].time.value, 3e-3, 1e-12);  // 1..4
  const auto why =
      explain(plan, timeline, window, critical_path_of(plan, small_cluster(), timeline, 0));
  ASSERT_EQ(why.size(), 2U);
  EXPECT_TRUE(why[1].starts_with("Forward of fc .. out waited ")) << why[1];
}

TEST(WhyTest, RanksOfAClassAreWrittenAsRanges) {
  Timeline timeline;
  timeline.classes = {{.representative = 0, .count = 4}, {.representative = 2, .count = 1}};
  timeline.class_of_rank = {0, 0, 1, 0, 0};
  EXPECT_EQ(ranks_of(timeline, std::vector<ClassId>{0}), "ranks 0-1, 3-4");
  EXPECT_EQ(ranks_of(timeline, std::vector<ClassId>{1}), "rank 2");
  EXPECT_EQ(ranks_of(timeline, std::vector<ClassId>{0, 1}), "ranks 0-4");
}

}  // namespace
}  // namespace stepcast
