// What-ifs on a made step whose times can be worked out by hand. It is bound by the device:
//
//   host      launches all within 0.1 ms, then waits for the optimizer
//   compute   forward 10 ms, three backward kernels of 10 ms, optimizer 1 ms
//   nccl      all-reduces of 100, 50 and 50 MB, one after each backward kernel
//
// On two nodes of one GPU over 10 GB/s without start-up an all-reduce of S bytes takes
// 2 (2-1)/2 S / 10 GB/s: 10, 5 and 5 ms, and these are the recorded durations. So
//   forward 0.1-10.1, backward -20.1, -30.1, -40.1, all-reduces 20.1-30.1, 30.1-35.1, 40.1-45.1,
//   optimizer -46.1, and the next step begins.

#include <gtest/gtest.h>

#include "sim/jobs/replay.hpp"
#include "tests/support/recorded_data.hpp"
#include "traces/formats/import.hpp"
#include "traces/ideal_cluster.hpp"

namespace stepcast {
namespace {

constexpr double kExact = 1e-9;
constexpr double kMilli = 1e-3;

Cluster two_nodes(double gigabytes_per_second = 10) {
  Cluster cluster = ideal_cluster(2, 1);
  cluster.nic.bandwidth = BytesPerSecond{gigabytes_per_second * 1e9};
  return cluster;
}

class MadeStep {
 public:
  std::uint32_t add(std::uint16_t stream, RecordedKind kind, double milliseconds,
                    std::vector<std::uint32_t> after) {
    const auto task = static_cast<std::uint32_t>(step_.tasks.size());
    step_.tasks.push_back({.stream = stream,
                           .kind = kind,
                           .start = Seconds{static_cast<double>(task)},
                           .duration = Seconds{milliseconds * kMilli},
                           .label = "task"});
    for (const std::uint32_t before : after)
      step_.edges.emplace_back(before, task);
    return task;
  }

  std::uint32_t add_bucket(double megabytes, std::uint32_t ready) {
    const auto task = add(2, RecordedKind::Collective, megabytes / 10, {ready});
    step_.tasks[task].collective = CollectiveKind::AllReduce;
    step_.tasks[task].size = Bytes{megabytes * 1e6};
    step_.tasks[task].gradients = true;
    step_.gradients.push_back({Bytes{megabytes * 1e6}, ready});
    return task;
  }

  RecordedStep build() && {
    step_.name = "made";
    step_.recorded = Seconds{46.1 * kMilli};
    step_.streams = {"host", "compute", "nccl"};
    return std::move(step_);
  }

 private:
  RecordedStep step_;
};

RecordedStep made_step() {
  MadeStep step;
  const auto launch = step.add(0, RecordedKind::Host, 0.1, {});
  step.add(1, RecordedKind::Kernel, 10, {launch});
  const auto backward_3 = step.add(1, RecordedKind::Kernel, 10, {launch});
  const auto bucket_3 = step.add_bucket(100, backward_3);
  const auto backward_2 = step.add(1, RecordedKind::Kernel, 10, {launch});
  const auto bucket_2 = step.add_bucket(50, backward_2);
  const auto backward_1 = step.add(1, RecordedKind::Kernel, 10, {launch});
  const auto bucket_1 = step.add_bucket(50, backward_1);
  const auto optimizer = step.add(1, RecordedKind::Kernel, 1, {bucket_3, bucket_2, bucket_1});
  step.add(0, RecordedKind::Host, 0, {optimizer});
  return std::move(step).build();
}

double milliseconds(const WhatIf& change, const Cluster& cluster = two_nodes()) {
  return replay({made_step()}, cluster, change).steps.at(0).value / kMilli;
}

double on_network(double gigabytes_per_second) {
  return milliseconds({.predict_collectives = true}, two_nodes(gigabytes_per_second));
}

double in_buckets(double megabytes, double first_megabytes = 1000) {
  return milliseconds({.predict_collectives = true,
                       .buckets = BucketSizes{.size = Bytes{megabytes * 1e6},
                                              .first = Bytes{first_megabytes * 1e6}}});
}

TEST(ReplayWhatIf, NothingChangedIsTheRecordedStep) {
  EXPECT_NEAR(milliseconds({}, ideal_cluster(1, 1)), 46.1, kExact);
}

TEST(ReplayWhatIf, TheSameNetworkIsTheSameTime) {
  EXPECT_NEAR(on_network(10), 46.1, kExact);
}

TEST(ReplayWhatIf, ASlowerNetworkTakesLonger) {
  // 5 GB/s: all-reduces 20.1-40.1, -50.1, -60.1, optimizer -61.1.
  EXPECT_NEAR(on_network(5), 61.1, kExact);
}

TEST(ReplayWhatIf, AFasterNetworkSavesOnlyWhatIsExposed) {
  // 100 GB/s: the last all-reduce 40.1-40.6, optimizer -41.6.
  EXPECT_NEAR(on_network(100), 41.6, kExact);
}

TEST(ReplayWhatIf, StartUpsCountOncePerRound) {
  // Two rounds of 1 ms more each: 20.1-32.1, -39.1, 40.1-47.1, optimizer -48.1.
  Cluster cluster = two_nodes();
  cluster.nic.startup = Seconds{1 * kMilli};
  EXPECT_NEAR(milliseconds({.predict_collectives = true}, cluster), 48.1, kExact);
}

TEST(ReplayWhatIf, MoreRanksMoveMoreBytes) {
  // 4 nodes: 2 * 3/4 S / 10 GB/s: 15, 7.5, 7.5 ms: 20.1-35.1, -42.6, -50.1, optimizer -51.1.
  Cluster cluster = ideal_cluster(4, 1);
  cluster.nic.bandwidth = BytesPerSecond{10e9};
  EXPECT_NEAR(milliseconds({.predict_collectives = true}, cluster), 51.1, kExact);
}

TEST(ReplayWhatIf, TheNetworkNeverHelpsByBeingSlower) {
  double before = 0;
  for (const double speed : {400.0, 100.0, 40.0, 20.0, 10.0, 7.0, 5.0, 2.0, 1.0, 0.1}) {
    const double time = on_network(speed);
    EXPECT_GE(time, before - kExact) << speed << " GB/s";
    before = time;
  }
}

TEST(ReplayWhatIf, TheRecordedBucketsAreTheSameTime) {
  // Closing at 50 MB, buckets are 100, 50 and 50 MB as recorded.
  EXPECT_NEAR(in_buckets(50), 46.1, kExact);
}

TEST(ReplayWhatIf, OneBucketWaitsForTheLastGradient) {
  // 200 MB from 40.1 on take 20 ms, then the optimizer.
  EXPECT_NEAR(in_buckets(1000), 61.1, kExact);
}

TEST(ReplayWhatIf, TwoBuckets) {
  // 150 MB from 30.1 on: -45.1; 50 MB -50.1; optimizer -51.1.
  EXPECT_NEAR(in_buckets(150), 51.1, kExact);
  // Closing the first early: 100 MB 20.1-30.1; 100 MB 40.1-50.1; optimizer -51.1.
  EXPECT_NEAR(in_buckets(150, 1), 51.1, kExact);
}

TEST(ReplayWhatIf, WithoutTheCollectivesComputeIsLeft) {
  const WhatIf change{.without = {CollectiveKind::AllReduce}};
  EXPECT_NEAR(milliseconds(change), 41.1, kExact);
  // Another kind is not there to be removed.
  EXPECT_NEAR(milliseconds({.without = {CollectiveKind::AllGather}}), 46.1, kExact);
}

TEST(ReplayWhatIf, AFasterDeviceIsThenBoundByTheNetwork) {
  // Twice: backward ends at 10.1, 15.1, 20.1; all-reduces 10.1-20.1, -25.1, -30.1; optimizer -30.6.
  EXPECT_NEAR(milliseconds({.device_speed = 2}), 30.6, kExact);
  EXPECT_NEAR(milliseconds({.predict_collectives = true, .device_speed = 2}), 30.6, kExact);
}

TEST(ReplayWhatIf, AFasterDeviceOrHostNeverTakesLonger) {
  for (const double speed : {0.5, 1.0, 1.5, 2.0, 10.0, 1000.0}) {
    EXPECT_LE(milliseconds({.device_speed = 1.25 * speed}),
              milliseconds({.device_speed = speed}) + kExact);
    EXPECT_LE(milliseconds({.host_speed = 1.25 * speed}),
              milliseconds({.host_speed = speed}) + kExact);
  }
}

TEST(ReplayWhatIf, StepsOfDifferentLengthsKeepTheirOwn) {
  std::vector<RecordedStep> steps = {made_step(), made_step()};
  steps[1].tasks[1].duration = Seconds{30 * kMilli};  // Forward: 20 ms more.
  const ReplayedTimes times = replay(steps, two_nodes(), {.predict_collectives = true});
  ASSERT_EQ(times.steps.size(), 2U);
  EXPECT_NEAR(times.steps[0].value / kMilli, 46.1, kExact);
  EXPECT_NEAR(times.steps[1].value / kMilli, 66.1, kExact);
}

// A recorded step of DDP: its buckets closed at 25 MiB, the first at 1 MiB.
TEST(ReplayWhatIf, TheBucketsOfARecordedStepComeOutAsRecorded) {
  const auto path = recorded_data("kineto/hta_resnet50_ddp_2xa100_rank0.json.gz");
  STEPCAST_SKIP_WITHOUT(path);
  ImportReport report;
  const auto steps = record_trace(std::span(&path, 1), false, report);
  const auto buckets_of = [](const RecordedStep& step) {
    std::vector<double> sizes;
    for (const RecordedTask& task : step.tasks)
      if (task.gradients)
        sizes.push_back(task.size.value);
    return sizes;
  };
  const BucketSizes sizes{.size = Bytes{25 * 1048576.0}};
  for (const RecordedStep& step : steps)
    EXPECT_EQ(buckets_of(with_buckets(step, sizes)), buckets_of(step));
  // The recorded step is bound by its host; without one, the buckets decide.
  const WhatIf same{.predict_collectives = true, .host_speed = 1e6};
  WhatIf again = same;
  again.buckets = sizes;
  EXPECT_NEAR(
      replay(steps, two_nodes(1), again).steps[0] / replay(steps, two_nodes(1), same).steps[0], 1,
      1e-6);
}

}  // namespace
}  // namespace stepcast
