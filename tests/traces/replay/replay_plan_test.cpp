#include "traces/replay/replay_plan.hpp"

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "traces/ideal_cluster.hpp"
#include "traces/replay/bucket_change.hpp"
#include "traces/replay/joined_steps.hpp"

namespace stepcast {
namespace {

/// A host that launches two kernels, each of which makes a gradient, and their two all-reduces.
RecordedStep two_buckets() {
  RecordedStep step{.name = "step", .recorded = Seconds{1}, .streams = {"host", "compute", "nccl"}};
  const auto add = [&](std::uint16_t stream, RecordedKind kind, double size = 0) {
    const bool collective = kind == RecordedKind::Collective;
    step.tasks.push_back({.stream = stream,
                          .kind = kind,
                          .start = Seconds{static_cast<double>(step.tasks.size())},
                          .duration = Seconds{1},
                          .label = collective ? "reduce" : "work",
                          .size = Bytes{size},
                          .gradients = collective});
    if (collective)
      step.tasks.back().collective = CollectiveKind::AllReduce;
  };
  add(0, RecordedKind::Host);             // 0
  add(1, RecordedKind::Kernel);           // 1
  add(2, RecordedKind::Collective, 100);  // 2
  add(1, RecordedKind::Kernel);           // 3
  add(2, RecordedKind::Collective, 50);   // 4
  add(1, RecordedKind::Copy);             // 5 waits for both
  step.edges = {{0, 1}, {1, 2}, {0, 3}, {3, 4}, {2, 5}, {4, 5}};
  step.gradients = {{Bytes{100}, 1}, {Bytes{50}, 3}};
  return step;
}

std::vector<Bytes> sizes_of(const Plan& plan) {
  std::vector<Bytes> sizes;
  for (const PlannedCollective& collective : plan.collectives)
    sizes.push_back(collective.collective.size);
  return sizes;
}

TEST(ReplayPlan, AsRecordedCollectivesAreWorkOfTheirStream) {
  const ReplayPlan replay = replay_plan({two_buckets()}, ideal_cluster(1, 1), {});
  EXPECT_EQ(replay.plan.graph.size(), 6U);
  EXPECT_TRUE(replay.plan.collectives.empty());
  EXPECT_EQ(replay.plan.graph.task(2).duration, Seconds{1});
}

TEST(ReplayPlan, SpeedsDivideDurations) {
  const WhatIf change{.device_speed = 4, .host_speed = 2};
  const ReplayPlan replay = replay_plan({two_buckets()}, ideal_cluster(1, 1), change);
  EXPECT_EQ(replay.plan.graph.task(0).duration, Seconds{0.5});
  EXPECT_EQ(replay.plan.graph.task(1).duration, Seconds{0.25});
  EXPECT_EQ(replay.plan.graph.task(2).duration, Seconds{1});
}

TEST(ReplayPlan, RemovedCollectivesTakeNoTime) {
  const WhatIf change{.without = {CollectiveKind::AllReduce}};
  const ReplayPlan replay = replay_plan({two_buckets()}, ideal_cluster(1, 1), change);
  EXPECT_EQ(replay.plan.graph.task(2).duration, Seconds{});
}

TEST(ReplayPlan, PredictedCollectivesHaveTheirRecordedSizes) {
  const WhatIf change{.predict_collectives = true};
  const ReplayPlan replay = replay_plan({two_buckets()}, ideal_cluster(2, 1), change);
  EXPECT_EQ(sizes_of(replay.plan), (std::vector<Bytes>{{100}, {50}}));
  RecordedStep unknown = two_buckets();
  unknown.tasks[4].size = {};
  EXPECT_EQ(input_error_of([&] { replay_plan({unknown}, ideal_cluster(2, 1), change); }),
            "step: reduce: its size was not recorded, so it cannot be predicted: record with a "
            "PyTorch that notes \"In msg nelems\" and \"dtype\" of collectives; --without "
            "all-reduce leaves it out");
}

TEST(ReplayPlan, GroupsOfAPartOfTheJobAreNotPredicted) {
  const WhatIf change{.predict_collectives = true};
  RecordedStep step = two_buckets();
  step.world_size = 8;
  step.tasks[2].ranks = 8;
  step.tasks[4].ranks = 2;
  const auto error = [&] {
    return input_error_of([&] { replay_plan({step}, ideal_cluster(2, 1), change); });
  };
  EXPECT_EQ(error(),
            "step: reduce: 2 of the job's 8 ranks ran it (which is not recorded): a replay takes "
            "all ranks as alike, so it cannot be predicted; --without all-reduce leaves it out");
  step.tasks[4].group = {0, 4};
  EXPECT_NE(error().find("2 of the job's 8 ranks ran it (0, 4): "), std::string::npos);
  step.world_size = 0;  // The largest group tells as much.
  EXPECT_NE(error().find("2 of the job's 8 ranks"), std::string::npos);
  step.tasks[4].ranks = 8;
  EXPECT_EQ(replay_plan({step}, ideal_cluster(2, 1), change).plan.collectives.size(), 2U);
}

TEST(ReplayPlan, AGroupOfOneRankTakesWhatWasRecorded) {
  RecordedStep step = two_buckets();
  step.tasks[4].ranks = 1;
  const WhatIf change{.predict_collectives = true};
  const ReplayPlan replay = replay_plan({step}, ideal_cluster(2, 1), change);
  EXPECT_EQ(sizes_of(replay.plan), (std::vector<Bytes>{{100}}));
  EXPECT_EQ(replay.plan.graph.task(4).duration, Seconds{1});
}

TEST(ReplayPlan, PointToPointTransfersAreNotPredicted) {
  RecordedStep step = two_buckets();
  step.tasks[2].collective = CollectiveKind::Send;
  WhatIf change{.predict_collectives = true};
  EXPECT_EQ(input_error_of([&] { replay_plan({step}, ideal_cluster(2, 1), change); }),
            "step: reduce: a point-to-point transfer cannot be predicted: its peer was not "
            "recorded; --without send leaves it out");
  change.without = {CollectiveKind::Send};
  EXPECT_EQ(replay_plan({step}, ideal_cluster(2, 1), change).plan.collectives.size(), 1U);
}

TEST(ReplayPlan, StepsFollowEachOtherOnTheSameStreams) {
  const std::vector<RecordedStep> steps = {two_buckets(), two_buckets()};
  const JoinedSteps joined = join(steps);
  EXPECT_EQ(joined.begin, (std::vector<std::uint32_t>{0, 6}));
  EXPECT_EQ(joined.all.streams.size(), 3U);
  EXPECT_EQ(joined.all.edges.size(), 12U);
  EXPECT_EQ(joined.all.recorded, Seconds{2});
}

TEST(ReplayPlan, ALargeBucketWaitsForTheLastGradient) {
  const RecordedStep changed = with_buckets(two_buckets(), {Bytes{1000}});
  ASSERT_EQ(changed.tasks.size(), 5U);
  EXPECT_EQ(changed.tasks[3].size, Bytes{150});  // Behind the second kernel.
  // The copy waited for both old buckets: both ends lie in the new one.
  EXPECT_EQ(changed.edges, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{
                               {2, 3}, {0, 1}, {0, 2}, {3, 4}, {3, 4}}));
}

TEST(ReplayPlan, SmallBucketsHoldOneGradientEach) {
  const RecordedStep changed = with_buckets(two_buckets(), {Bytes{1}});
  ASSERT_EQ(changed.tasks.size(), 6U);
  EXPECT_EQ(changed.tasks[2].size, Bytes{100});
  EXPECT_EQ(changed.tasks[4].size, Bytes{50});
}

TEST(ReplayPlan, TheFirstBucketMayCloseEarlier) {
  RecordedStep step = two_buckets();
  step.gradients = {{Bytes{60}, 1}, {Bytes{40}, 1}, {Bytes{30}, 3}, {Bytes{20}, 3}};
  const auto sizes = [&](const BucketSizes& buckets) {
    std::vector<double> found;
    for (const RecordedTask& task : with_buckets(step, buckets).tasks)
      if (task.gradients)
        found.push_back(task.size.value);
    return found;
  };
  EXPECT_EQ(sizes({.size = Bytes{70}}), (std::vector<double>{100, 50}));
  EXPECT_EQ(sizes({.size = Bytes{70}, .first = Bytes{1}}), (std::vector<double>{60, 70, 20}));
}

TEST(ReplayPlan, OtherBucketsNeedKnownGradients) {
  RecordedStep step = two_buckets();
  step.gradients.clear();
  EXPECT_EQ(input_error_of([&] { with_buckets(step, {Bytes{1}}); }),
            "step: other buckets need gradients of known size and their all-reduces");
}

}  // namespace
}  // namespace stepcast
