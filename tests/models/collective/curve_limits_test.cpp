// What no network can do: a larger size in less time, or more bandwidth than was ever measured.

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "models/collective/collective.hpp"
#include "models/collective/curve_fit.hpp"
#include "models/collective/measured_curve.hpp"

namespace stepcast {
namespace {

using namespace literals;
using enum CollectiveKind;

/// A network with two protocols and noise, benchmarked over other sizes for each rank count.
class RandomLogs {
 public:
  explicit RandomLogs(unsigned seed) : random_(seed) {}

  MeasuredCollectives measured(CollectiveKind kind, std::uint32_t per_node) {
    MeasuredCollectives measured;
    const Seconds fixed{between(5e-6, 5e-5)};
    const Seconds step{between(5e-7, 5e-6)};
    const BytesPerSecond bandwidth{between(1e9, 4e11)};
    std::uint32_t nodes = 1U << pick(0, 2);
    for (auto logs = pick(1, 4); logs > 0; --logs, nodes *= 2) {
      if (nodes * per_node < 2)
        nodes = 2;
      CollectiveCurve curve{.kind = kind, .ranks = nodes * per_node, .nodes = nodes};
      const double first = pick(2, 18);
      const double last = first + pick(3, 14);
      for (double bits = first; bits <= last; ++bits) {
        const Bytes size{std::exp2(bits)};
        const Seconds time =
            fixed + (step + size / curve.ranks / bandwidth) * ring_rounds(kind, curve.ranks);
        curve.points.push_back({size, time * std::exp(noise_(random_))});
      }
      measured.curves.push_back(curve);
    }
    fit_curves(measured);
    return measured;
  }

  double between(double least, double most) {
    return std::exp(std::uniform_real_distribution(std::log(least), std::log(most))(random_));
  }
  std::uint32_t pick(std::uint32_t least, std::uint32_t most) {
    return std::uniform_int_distribution(least, most)(random_);
  }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> noise_{0, 0.15};
};

/// Between nodes.
BytesPerSecond best_bus_bandwidth(const MeasuredCollectives& measured) {
  BytesPerSecond best{};
  for (const CollectiveCurve& curve : measured.curves)
    for (const CurvePoint& point : curve.points)
      if (curve.nodes > 1)
        best = std::max(best, point.size * bus_factor(curve.kind, curve.ranks) / point.time);
  return best;
}

void expect_possible(const MeasuredCollectives& measured, CollectiveKind kind, std::uint32_t ranks,
                     std::uint32_t nodes, RandomLogs& logs) {
  const BytesPerSecond best = best_bus_bandwidth(measured);
  Seconds before{};
  for (Bytes size{4}; size < 65536.0_MiB; size = size * logs.between(1.05, 2.5)) {
    const auto estimate = find_time(measured, kind, ranks, nodes, size);
    ASSERT_TRUE(estimate);
    ASSERT_GE(estimate->time.value, before.value * (1 - 1e-9)) << size.value << " B, " << ranks;
    ASSERT_LE(size * bus_factor(kind, ranks) / estimate->time, best * (1 + 1e-9)) << size.value;
    before = estimate->time;
  }
}

TEST(CurveLimits, TimesNeverFallWithSizeAndNoBandwidthBeatsTheBestMeasured) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    RandomLogs logs(seed);
    const CollectiveKind kind = seed % 3 == 0 ? AllReduce : seed % 3 == 1 ? AllGather : Broadcast;
    const std::uint32_t per_node = 1U << logs.pick(0, 3);
    const MeasuredCollectives measured = logs.measured(kind, per_node);
    const CollectiveCurve& some = measured.curves.back();
    if (some.nodes == 1 || !find_fit(measured, kind, per_node))
      continue;
    for (const std::uint32_t nodes : {2U, 3U, some.nodes, 16U, 100U}) {
      SCOPED_TRACE(seed);
      expect_possible(measured, kind, nodes * per_node, nodes, logs);
    }
  }
}

CollectiveCurve ring_curve(std::uint32_t nodes, Bytes from, Bytes to) {
  // T = 100 us + rounds * (.1 us + chunk / 10 GB/s): nearly all of a small size is fixed.
  CollectiveCurve curve{.kind = AllGather, .ranks = 4 * nodes, .nodes = nodes};
  for (Bytes size = from; size <= to; size = size * 2)
    curve.points.push_back({size, 100.0_us + (0.1_us + size / curve.ranks / BytesPerSecond{10e9}) *
                                                 ring_rounds(AllGather, curve.ranks)});
  return curve;
}

TEST(CurveLimits, WhereTheOtherLogsEndTheFixedPartOfATimeStays) {
  // The logs of 2 and 4 nodes end early. Where they do, the one of 32 nodes alone says nothing of
  // what is fixed: in proportion to the rounds, 1 node of 4 would take 3 / 127 of its time, less
  // than for the size below. 8 ranks are between; 3 nodes' chunks lie in the gap.
  MeasuredCollectives measured{.curves = {ring_curve(2, 1.0_KiB, 64.0_KiB),
                                          ring_curve(4, 1.0_KiB, 128.0_KiB),
                                          ring_curve(32, 1.0_KiB, 64.0_MiB)}};
  fit_curves(measured);
  const Seconds below = find_time(measured, AllGather, 8, 2, 64.0_KiB)->time;
  const Seconds above = find_time(measured, AllGather, 8, 2, 256.0_KiB)->time;
  EXPECT_GT(above, below);
  EXPECT_LT(above, below * 1.5);  // 7 rounds of 24 KiB more at 10 GB/s are 17 us on 100.
  const Seconds beyond = find_time(measured, AllGather, 256, 64, 64.0_KiB)->time;
  EXPECT_NEAR(beyond / (100.0_us + 255 * (0.1_us + Bytes{256} / BytesPerSecond{10e9})), 1, 0.05);
}

TEST(CurveLimits, TheCleanEndOfALogIsNoOutlierBecauseOtherRanksDisagree) {
  // Three slower networks and one that is twice as fast at its last sizes, smoothly: as where
  // another algorithm takes over on that many ranks.
  MeasuredCollectives measured;
  for (const std::uint32_t nodes : {2U, 4U, 8U, 16U})
    measured.curves.push_back(ring_curve(nodes, 1.0_MiB, 256.0_MiB));
  auto& points = measured.curves[1].points;
  double gain = 1;
  for (CurvePoint& point : points)
    point.time = point.time / (gain *= 1.09);  // 1.09^9 = 2.2 at the end.
  fit_curves(measured);
  for (const CurvePoint& point : points)
    EXPECT_EQ(point.use, PointUse::Kept) << point.size.value;
}

TEST(CurveLimits, ADisturbedEndOfALogStaysAnOutlier) {
  MeasuredCollectives measured;
  for (const std::uint32_t nodes : {2U, 4U, 8U})
    measured.curves.push_back(ring_curve(nodes, 1.0_MiB, 256.0_MiB));
  // On 32 ranks, whose last chunk of 8 MiB the two others cover.
  measured.curves[2].points.back().time = measured.curves[2].points.back().time * 1.6;
  fit_curves(measured);
  EXPECT_EQ(measured.curves[2].points.back().use, PointUse::Outlier);
}

}  // namespace
}  // namespace stepcast
