#include "models/collective/measured_curve.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "models/collective/collective.hpp"
#include "models/collective/curve_errors.hpp"
#include "models/collective/curve_fit.hpp"

namespace stepcast {
namespace {

using namespace literals;
using enum CollectiveKind;

/// T = 20 us + rounds * (3 us + chunk / 10 GB/s): a ring's law, exactly.
Seconds ring_time(CollectiveKind kind, std::uint32_t ranks, Bytes size) {
  return 20.0_us + (3.0_us + size / ranks / BytesPerSecond{10e9}) * ring_rounds(kind, ranks);
}

CollectiveCurve ring_curve(CollectiveKind kind, std::uint32_t ranks, std::uint32_t nodes) {
  CollectiveCurve curve{.kind = kind, .ranks = ranks, .nodes = nodes};
  for (Bytes size = 64.0_KiB; size <= 64.0_MiB; size = size * 2)
    curve.points.push_back({size, ring_time(kind, ranks, size)});
  return curve;
}

MeasuredCollectives fitted(std::vector<CollectiveCurve> curves) {
  MeasuredCollectives measured{.name = "made", .curves = std::move(curves)};
  fit_curves(measured);
  return measured;
}

MeasuredCollectives three_rings(CollectiveKind kind) {
  return fitted({ring_curve(kind, 8, 2), ring_curve(kind, 16, 4), ring_curve(kind, 32, 8)});
}

Cluster small_cluster(std::uint32_t nodes) {
  return {.name = "made",
          .nodes = nodes,
          .gpus_per_node = 4,
          .intra_node = {100.0_Gbps, 1.0_us},
          .nic = {80.0_Gbps, 2.0_us}};
}

TEST(MeasuredCurve, IsTheMeasuredTimeWhereItWasMeasured) {
  const MeasuredCollectives measured = three_rings(AllReduce);
  const auto estimate = find_time(measured, AllReduce, 16, 4, 1.0_MiB);
  ASSERT_TRUE(estimate);
  EXPECT_DOUBLE_EQ(estimate->time.value, ring_time(AllReduce, 16, 1.0_MiB).value);
  EXPECT_FALSE(estimate->extrapolated());
}

TEST(MeasuredCurve, InterpolatesInLogLogBetweenSizes) {
  // A power law is a line in log-log: 2 us at 1 KiB and 8 us at 4 KiB are 4 us at 2 KiB.
  const MeasuredCollectives measured = fitted({{.kind = Broadcast,
                                                .ranks = 4,
                                                .nodes = 1,
                                                .points = {{1.0_KiB, 2.0_us}, {4.0_KiB, 8.0_us}}}});
  EXPECT_NEAR(find_time(measured, Broadcast, 4, 1, 2.0_KiB)->time.value, 4e-6, 1e-15);
}

TEST(MeasuredCurve, FollowsTheRingBetweenAndBeyondRankCounts) {
  const MeasuredCollectives measured = three_rings(Broadcast);
  // 24 ranks lie between 16 and 32; 128 lie beyond. The chunk of 24 ranks is off the measured
  // sizes, where log-log between two of them is within 0.2 % of this law.
  const auto between = find_time(measured, Broadcast, 24, 6, 3.0_MiB);
  EXPECT_NEAR(between->time / ring_time(Broadcast, 24, 3.0_MiB), 1, 2e-3);
  EXPECT_FALSE(between->beyond_ranks);
  const auto beyond = find_time(measured, Broadcast, 128, 32, 16.0_MiB);
  EXPECT_NEAR(beyond->time / ring_time(Broadcast, 128, 16.0_MiB), 1, 1e-9);
  EXPECT_TRUE(beyond->beyond_ranks);
  EXPECT_EQ(beyond->fewest_ranks, 8U);
  EXPECT_EQ(beyond->most_ranks, 32U);
}

TEST(MeasuredCurve, ContinuesBeyondTheSizesWithTheFittedBandwidth) {
  // One curve: the step is (T / rounds), and the fitted line through its points has the law's
  // bandwidth of 10 GB/s but for the 20 us, which weigh little at 64 MiB.
  const MeasuredCollectives measured = three_rings(AllGather);
  const auto estimate = find_time(measured, AllGather, 32, 8, 512.0_MiB);
  EXPECT_TRUE(estimate->beyond_sizes);
  EXPECT_NEAR(estimate->time / ring_time(AllGather, 32, 512.0_MiB), 1, 0.1);
}

TEST(MeasuredCurve, OneRankCountIsScaledByItsRounds) {
  const MeasuredCollectives measured = fitted({ring_curve(AllGather, 8, 2)});
  // Equal chunks of 1 MiB: 15 rounds instead of 7.
  const auto estimate = find_time(measured, AllGather, 16, 4, 16.0_MiB);
  EXPECT_NEAR(estimate->time / ring_time(AllGather, 8, 8.0_MiB), 15.0 / 7, 1e-9);
}

TEST(MeasuredCurve, SmallAllReducesFollowTheTree) {
  // 10 us + log2(nodes) * (8 us + size / 1 GB/s) below 64 KiB, a ring from there on.
  std::vector<CollectiveCurve> curves;
  for (const std::uint32_t nodes : {2U, 4U, 8U}) {
    CollectiveCurve curve{.kind = AllReduce, .ranks = 4 * nodes, .nodes = nodes};
    for (Bytes size = 1.0_KiB; size < 64.0_KiB; size = size * 2)
      curve.points.push_back(
          {size, 10.0_us + (8.0_us + size / BytesPerSecond{1e9}) * std::log2(nodes)});
    for (const CurvePoint& point : ring_curve(AllReduce, 4 * nodes, nodes).points)
      curve.points.push_back(point);
    curves.push_back(curve);
  }
  const MeasuredCollectives measured = fitted(curves);
  ASSERT_EQ(measured.fits.size(), 1U);
  EXPECT_EQ(measured.fits[0].tree_below, 64.0_KiB);
  // 16 nodes are 4 levels: 10 + 4 * (8 + 4.096) us.
  EXPECT_NEAR(find_time(measured, AllReduce, 64, 16, 4.0_KiB)->time.value, 58.384e-6, 1e-9);
}

/// Of 4 GPUs a node on NVLink: small sizes through a ring on 2 nodes, below 64 KiB through trees on
/// 4 to 16.
MeasuredCollectives nccl_curves(std::optional<NodePath> nccl) {
  MeasuredCollectives measured{.name = "made", .nccl = nccl};
  for (const std::uint32_t nodes : {2U, 4U, 8U, 16U}) {
    CollectiveCurve curve{.kind = AllReduce, .ranks = 4 * nodes, .nodes = nodes};
    for (Bytes size = 1.0_KiB; size <= 64.0_MiB; size = size * 2) {
      const bool is_tree = nodes > 2 && size < 64.0_KiB;
      const Seconds tree = 10.0_us + 10.0_us * std::log2(nodes) + size / BytesPerSecond{1e9};
      curve.points.push_back({size, is_tree ? tree : ring_time(AllReduce, 4 * nodes, size)});
    }
    measured.curves.push_back(curve);
  }
  fit_curves(measured);
  return measured;
}

double microseconds_on_32_nodes(const MeasuredCollectives& measured, Bytes size) {
  return find_time(measured, AllReduce, 128, 32, size)->time.value * 1e6;
}

TEST(MeasuredCurve, TreesBeyondTheRanksDoNotFollowTheRingOfTwoNodes) {
  // On 2 nodes a ring of 14 steps takes 62 us, which says nothing of trees: 10 + 5 * 10 + 4.1 us.
  EXPECT_NEAR(microseconds_on_32_nodes(nccl_curves(NodePath::NvLink), 4.0_KiB), 64.096, 1e-3);
  EXPECT_LT(microseconds_on_32_nodes(nccl_curves({}), 4.0_KiB), 60);
}

TEST(MeasuredCurve, TreesOfNcclReachAsFarAsItsTunerSays) {
  const MeasuredCollectives measured = nccl_curves(NodePath::NvLink);
  ASSERT_EQ(measured.fits.at(0).tree_below, 64.0_KiB);
  // 128 KiB on 32 nodes are a tree's 60 + 131 us, 1 MiB a ring's.
  EXPECT_NEAR(microseconds_on_32_nodes(measured, 128.0_KiB), 60 + 131.072, 1e-3);
  EXPECT_NEAR(microseconds_on_32_nodes(measured, 1.0_MiB),
              ring_time(AllReduce, 128, 1.0_MiB).value * 1e6, 1e-3);
}

TEST(MeasuredCurve, ALoneTreeGrowsAsNcclExpectsItToStartUp) {
  // Of two rank counts that of 2 nodes is a ring. 3 hops of .936 us inside a node, levels of 5 us:
  // 4.4 + 2 * (2.808 + 10) us on 4 nodes, 10 us more on 8.
  MeasuredCollectives measured = nccl_curves(NodePath::NvLink);
  measured.curves.resize(2);
  fit_curves(measured);
  EXPECT_NEAR(find_time(measured, AllReduce, 32, 8, 4.0_KiB)->time.value * 1e6,
              34.096 * 40.016 / 30.016, 1e-3);
}

TEST(MeasuredCurve, HalvesAnAllReduceForAReduceScatter) {
  const MeasuredCollectives measured = three_rings(AllReduce);
  const auto half = find_time(measured, ReduceScatter, 16, 4, 4.0_MiB);
  ASSERT_TRUE(half);
  EXPECT_TRUE(half->half_all_reduce);
  EXPECT_NEAR(half->time / ring_time(AllReduce, 16, 4.0_MiB), 0.5, 1e-9);
  EXPECT_FALSE(find_time(measured, AllToAll, 16, 4, 4.0_MiB));
}

TEST(MeasuredCurve, KeepsNodesAndOneNodeApart) {
  const MeasuredCollectives measured = fitted({ring_curve(AllReduce, 8, 1)});
  EXPECT_TRUE(find_time(measured, AllReduce, 8, 1, 1.0_MiB));
  EXPECT_TRUE(find_time(measured, AllReduce, 4, 1, 1.0_MiB));
  EXPECT_FALSE(find_time(measured, AllReduce, 8, 2, 1.0_MiB)) << "4 a node were not measured";
}

TEST(MeasuredCurve, OutliersAreLeftOutAndPredictedByTheOthers) {
  MeasuredCollectives measured{.curves = {ring_curve(Broadcast, 8, 2), ring_curve(Broadcast, 16, 4),
                                          ring_curve(Broadcast, 32, 8)}};
  CurvePoint& disturbed = measured.curves[1].points[8];  // 16 MiB on 16 ranks.
  disturbed.time = disturbed.time * 3;
  fit_curves(measured);
  EXPECT_EQ(measured.curves[1].points[8].use, PointUse::Outlier);
  for (const CurvePoint& point : measured.curves[0].points)
    EXPECT_EQ(point.use, PointUse::Kept);
}

TEST(MeasuredCurve, BroadcastsThatDoNotGrowWithTheRanksAreRates) {
  MeasuredCollectives measured;
  for (const std::uint32_t ranks : {8U, 32U}) {
    measured.curves.push_back(ring_curve(Broadcast, ranks, ranks / 4));
    auto& points = measured.curves.back().points;
    points.insert(points.begin(), {1.0_KiB, 5.0_us});
  }
  fit_curves(measured);
  EXPECT_EQ(measured.curves[0].points[0].use, PointUse::Pipelined);
  EXPECT_EQ(measured.curves[1].points[0].use, PointUse::Pipelined);
  EXPECT_EQ(measured.curves[0].points[1].use, PointUse::Kept);
  // One broadcast of 1 KiB on 32 ranks then takes at least 31 steps of 3 us.
  EXPECT_GT(find_time(measured, Broadcast, 32, 8, 1.0_KiB)->time, 93.0_us);
}

TEST(MeasuredCurve, PredictsEachRankCountFromTheOthers) {
  // The bus bandwidth of this law does not fall with the ranks, as that of a broadcast would: then
  // fewer ranks than were measured would be held to the best of the others.
  const std::vector<PointError> errors = leave_one_rank_count_out(three_rings(AllGather));
  ASSERT_EQ(errors.size(), 33U);  // 11 sizes on 3 rank counts.
  for (const PointError& error : errors) {
    // Chunks off the others' range are continued; inside it the law is met exactly.
    const bool covered = error.measured.size >= 256.0_KiB && error.measured.size <= 16.0_MiB;
    if (covered) {
      EXPECT_NEAR(error.error(), 0, 1e-9) << error.ranks << " ranks, " << error.measured.size.value;
    }
  }
}

TEST(MeasuredCurve, TakesThePlaceOfTheClosedForm) {
  Cluster cluster = small_cluster(4);
  const Collective collective{.kind = AllReduce, .size = 1.0_MiB};
  const Seconds closed_form = cost_of(collective, world_of(cluster), cluster);
  cluster.measured = three_rings(AllReduce);
  const Seconds measured = cost_of(collective, world_of(cluster), cluster);
  EXPECT_DOUBLE_EQ(measured.value, ring_time(AllReduce, 16, 1.0_MiB).value);
  EXPECT_NE(measured, closed_form);
}

TEST(MeasuredCurve, ANamedAlgorithmStaysAClosedForm) {
  Cluster cluster = small_cluster(4);
  const Collective tree{
      .kind = AllReduce, .algorithm = Algorithm::DoubleBinaryTree, .size = 1.0_MiB};
  const Seconds closed_form = cost_of(tree, world_of(cluster), cluster);
  cluster.measured = three_rings(AllReduce);
  EXPECT_EQ(cost_of(tree, world_of(cluster), cluster), closed_form);
}

TEST(MeasuredCurve, UnevenGroupsStayClosedForms) {
  Cluster cluster = small_cluster(4);
  const Group uneven{{0, 1, 2, 3, 4}};
  const Collective collective{.kind = AllReduce, .size = 1.0_MiB};
  const Seconds closed_form = cost_of(collective, uneven, cluster);
  cluster.measured = three_rings(AllReduce);
  EXPECT_EQ(cost_of(collective, uneven, cluster), closed_form);
}

TEST(MeasuredCurve, FlowsKeepTheirBytesAndPayTheRestUpFront) {
  Cluster cluster = small_cluster(4);
  cluster.measured = three_rings(AllReduce);
  const Collective collective{.kind = AllReduce, .size = 16.0_MiB};
  const auto bytes_of = [](const std::vector<Phase>& phases) {
    Bytes sum{};
    for (const Phase& phase : phases)
      for (const Message& message : phase.messages)
        sum += message.size;
    return sum.value;
  };
  const auto flows = edge_flows_of(collective, world_of(cluster), cluster);
  EXPECT_DOUBLE_EQ(bytes_of(flows),
                   bytes_of(closed_form_flows_of(collective, world_of(cluster), cluster)));
  // The NIC moves 30/16 of 16 MiB at 10 GB/s in 3.146 ms; the law takes 20 + 30 * 3 us more.
  EXPECT_NEAR(flows.front().startup.value, 110e-6, 1e-9);
}

TEST(MeasuredCurve, BytesShrinkWhereTheCurveIsFasterThanTheLinks) {
  std::vector<Phase> phases = {{.startup = 1.0_us, .messages = {{0, 4, 8.0_MiB}}}};
  phases = scaled_to(phases, 11.0_us, 5.0_us);  // 10 us of transfer have to fit in 5.
  EXPECT_EQ(phases.front().startup, Seconds{});
  EXPECT_EQ(phases.front().messages.front().size, 4.0_MiB);
}

}  // namespace
}  // namespace stepcast
