// Whole schedules on clusters where the iteration time has a closed form.
#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "sim/engine/engine.hpp"
#include "tests/support/examples.hpp"

namespace stepcast {
namespace {

using examples::plain_cluster;
using examples::uniform_workload;

double iteration(const std::string& schedule, const Workload& workload, const Cluster& cluster,
                 const ScheduleOptions& options = {}, const EngineOptions& engine = {}) {
  const Timeline timeline =
      simulate(build_plan(schedule, workload, cluster, options), cluster, engine);
  EXPECT_TRUE(timeline.steady);
  return timeline.mean_iteration_time().value;
}

// 10 layers, FF 1 ms and BP 2 ms each, 1e6 fp32 elements each: 40 MB in all. On 4 nodes at 1 GB/s
// the ring moves 2 * 3/4 * 40 MB = 60 ms for everything, 6 ms a layer.
const Workload kCommunicationBound = uniform_workload(10, {1e-3}, {2e-3}, 1'000'000);
// The same with a hundredth of the gradients: 0.06 ms a layer.
const Workload kComputeBound = uniform_workload(10, {1e-3}, {2e-3}, 10'000);

TEST(Schedules, BspIsTheSumOfComputeAndAllReduce) {
  EXPECT_NEAR(iteration("bsp", kCommunicationBound, plain_cluster(4)), 0.010 + 0.020 + 0.060, 1e-9);
}

TEST(Schedules, WfbpHidesAllReducesBehindTheBackwardPass) {
  // Communication-bound: the first gradient is ready after 1 of 10 backward layers: 10 + 2 + 60 ms.
  EXPECT_NEAR(iteration("wfbp", kCommunicationBound, plain_cluster(4)), 0.072, 1e-9);
  // Compute-bound: only the last all-reduce is exposed: 2 * 3/4 * 40 kB / 1 GB/s = 0.06 ms.
  EXPECT_NEAR(iteration("wfbp", kComputeBound, plain_cluster(4)), 0.03006, 1e-9);
}

TEST(Schedules, WfbpTendsToItsFormulaForManyLayers) {
  // T = tf + max(tb, tar) for layers that are small against the whole: 1000 layers, tf 10 ms, tb 20
  // ms, tar 2 * 3/4 * 40 MB / 1 GB/s = 60 ms, off by at most one layer (0.06 ms).
  const Workload fine = uniform_workload(1000, {1e-5}, {2e-5}, 10'000);
  EXPECT_NEAR(iteration("wfbp", fine, plain_cluster(4)), 0.070, 0.06e-3);
}

TEST(Schedules, DearTendsToItsFormulaForManyLayers) {
  // T = max(tf, tar/2) + max(tb, tar/2) without start-up; off by at most a layer on each side.
  const ScheduleOptions unfused{{"fusion", "none"}};
  const Workload fine = uniform_workload(1000, {1e-5}, {2e-5}, 10'000);
  EXPECT_NEAR(iteration("dear", fine, plain_cluster(4), unfused), 0.030 + 0.030, 0.15e-3);
  const Workload light = uniform_workload(1000, {1e-5}, {2e-5}, 1'000);
  EXPECT_NEAR(iteration("dear", light, plain_cluster(4), unfused), 0.010 + 0.020, 0.05e-3);
  // tf < tar/2 = 15 ms < tb: the all-gather bounds the forward pass, compute the backward pass.
  const Workload between = uniform_workload(1000, {1e-5}, {2e-5}, 5'000);
  EXPECT_NEAR(iteration("dear", between, plain_cluster(4), unfused), 0.015 + 0.020, 0.1e-3);
}

TEST(Schedules, DearGainsAtMostAQuarterOverWfbpWhenBackwardIsTwiceForward) {
  // The peak is 1 + tf/(2 tb) at tar = 2 tb = 40 ms: WFBP takes 10 + 40 ms, DeAR 20 + 20 ms.
  const Workload fine = uniform_workload(1000, {1e-5}, {2e-5}, 6'667);
  const double wfbp = iteration("wfbp", fine, plain_cluster(4));
  const double dear = iteration("dear", fine, plain_cluster(4), {{"fusion", "none"}});
  EXPECT_NEAR(wfbp / dear, 1.25, 0.01);
}

TEST(Schedules, DearGatesTheForwardPassByGroup) {
  // Two groups of 5 layers (20 MB each): RS and AG of a group take 3/4 * 20 MB / 1 GB/s = 15 ms.
  // BP: group 1 ready at 10 ms, group 0 at 20 ms: RS 10..25, 25..40; AG 40..55, 55..70. FF of group
  // 0 starts at 55 and would end at 60, of group 1 at 70: FF ends at 75. Counted from the beginning
  // of one BP to the next: 75 ms.
  const ScheduleOptions options{{"fusion_buffer", "20MB"}};
  EXPECT_NEAR(iteration("dear", kCommunicationBound, plain_cluster(4), options), 0.075, 1e-9);
}

TEST(Schedules, DearNearbyFusionCountsLayers) {
  const ScheduleOptions nearby{{"fusion", "nearby"}, {"nearby_layers", "5"}};
  EXPECT_NEAR(iteration("dear", kCommunicationBound, plain_cluster(4), nearby), 0.075, 1e-9);
}

TEST(Schedules, DearMayScatterAsSoonAsItIsIssued) {
  // rs_start=enqueue: both RS run from the beginning of BP (15 + 15 ms), AG after BP and
  // RS: 30..45, 45..60; FF of group 0 45..50, of group 1 60..65: 65 ms.
  const ScheduleOptions options{{"fusion_buffer", "20MB"}, {"rs_start", "enqueue"}};
  EXPECT_NEAR(iteration("dear", kCommunicationBound, plain_cluster(4), options), 0.065, 1e-9);
}

TEST(Schedules, DdpClosesABucketWhenItReachesItsLimit) {
  // 4 MB a layer; first bucket 1 MiB: 1 layer; then 10 MB: 3 layers, 3, 3. All-reduces of 6, 18,
  // 18, 18 ms follow one another from the first: 10 + 2 + 60 ms.
  const ScheduleOptions options{{"bucket", "10MB"}};
  const Plan plan = build_plan("ddp", kCommunicationBound, plain_cluster(4), options);
  ASSERT_EQ(plan.collectives.size(), 4U);
  EXPECT_EQ(plan.collectives[0].collective.size, Bytes{4e6});
  EXPECT_EQ(plan.collectives[3].collective.size, Bytes{12e6});
  EXPECT_NEAR(iteration("ddp", kCommunicationBound, plain_cluster(4), options), 0.072, 1e-9);
}

TEST(Schedules, HorovodFusesWhatIsReadyInACycle) {
  // Cycle 1 ms, no negotiation time. The first gradient is ready at 10 + 2 ms and waits half a
  // cycle: communication begins at 12.5 ms and never idles (6 ms a layer against 2 ms): 12.5 + 60
  // ms.
  EXPECT_NEAR(iteration("horovod", kCommunicationBound, plain_cluster(4)), 0.0725, 1e-9);
}

TEST(Schedules, HorovodNegotiatesBesideWhatIsOnTheWire) {
  // 0.1 ms a tensor delays the first one; the others are agreed on while it is communicated.
  const ScheduleOptions options{{"negotiation_per_tensor", "0.1ms"}};
  EXPECT_NEAR(iteration("horovod", kCommunicationBound, plain_cluster(4), options), 0.0726, 1e-9);
}

TEST(Schedules, AWorkloadWithoutParametersNeedsNoCommunication) {
  Workload bare = uniform_workload(3, {1e-3}, {2e-3}, 1);
  for (Layer& layer : bare.layers)
    layer.parameters.clear();
  for (const ScheduleInfo& schedule : first_order_schedules())
    EXPECT_NEAR(iteration(schedule.name, bare, plain_cluster(4)), 0.009, 1e-9) << schedule.name;
}

TEST(Schedules, OneGpuRunsAtTheSpeedOfItsTrace) {
  Cluster one = plain_cluster(1);
  one.software.collective_launch = Seconds{1e-3};
  for (const ScheduleInfo& schedule : first_order_schedules())
    EXPECT_NEAR(iteration(schedule.name, kComputeBound, one), 0.030, 1e-9) << schedule.name;
}

}  // namespace
}  // namespace stepcast
