#include "sim/report/text/measured/calibration_report.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "models/collective/collective.hpp"
#include "sim/study/calibration_errors.hpp"
#include "traces/catalog.hpp"
#include "traces/formats/stepcast/collectives_file.hpp"

namespace stepcast {
namespace {

MeasuredCollectives shipped(const char* name) {
  return read_collectives(find_file(CatalogKind::Collectives, name));
}

/// Median of the absolute errors at 64 KiB and above, each rank count predicted from the others.
double median_error(const Calibration& calibration, CollectiveKind kind, bool with_outliers) {
  std::vector<double> errors;
  for (const PointError& error : calibration.left_out)
    if (error.kind == kind && error.measured.size >= kSummedFrom &&
        (with_outliers || error.measured.use == PointUse::Kept))
      errors.push_back(std::abs(error.error()));
  std::ranges::sort(errors);
  return errors.at(errors.size() / 2);
}

TEST(Calibration, PredictsARankCountFromTheOthers) {
  const Calibration calibration = calibrate(shipped("v100-32x4-edr-nccl"), nullptr);
  // The bound asked of the model is 8 %; alpha-beta lines miss it on both.
  EXPECT_LE(median_error(calibration, CollectiveKind::AllReduce, true), 0.08);
  EXPECT_LE(median_error(calibration, CollectiveKind::Broadcast, true), 0.08);
}

TEST(Calibration, LeavesOutTheDisturbedBroadcastOn16Gpus) {
  const Calibration calibration = calibrate(shipped("v100-32x4-edr-nccl"), nullptr);
  std::vector<std::pair<std::uint32_t, double>> outliers;
  for (const CollectiveCurve& curve : calibration.measured.curves)
    for (const CurvePoint& point : curve.points)
      if (point.use == PointUse::Outlier)
        outliers.emplace_back(curve.ranks, point.size.value);
  const std::vector<std::pair<std::uint32_t, double>> expected = {
      {16, 8388608}, {16, 16777216}, {16, 33554432}};
  EXPECT_EQ(outliers, expected);
}

TEST(Calibration, SmallBroadcastsAreRatesNotLatencies) {
  const Calibration calibration = calibrate(shipped("v100-32x4-edr-nccl"), nullptr);
  for (const CollectiveCurve& curve : calibration.measured.curves) {
    const bool broadcast_between_nodes = curve.kind == CollectiveKind::Broadcast && curve.nodes > 1;
    EXPECT_EQ(curve.points.front().use,
              broadcast_between_nodes ? PointUse::Pipelined : PointUse::Kept)
        << name_of(curve.kind) << " on " << curve.ranks;
  }
}

/// What a size takes if none takes longer than a larger one of its curve.
Seconds least_from(const std::vector<PointError>& errors, const PointError& from) {
  Seconds least = from.measured.time;
  for (const PointError& other : errors)
    if (other.kind == from.kind && other.ranks == from.ranks &&
        other.measured.use == PointUse::Kept && other.measured.size > from.measured.size)
      least = std::min(least, other.measured.time);
  return least;
}

TEST(Calibration, AClusterWithTheseCurvesMeetsThem) {
  const Cluster cluster = load_cluster("v100-32x4-edr");
  const Calibration calibration = calibrate(shipped("v100-32x4-edr-nccl"), &cluster);
  ASSERT_FALSE(calibration.now.empty());
  for (const PointError& error : calibration.now)
    if (error.measured.use == PointUse::Kept) {
      EXPECT_NEAR(error.predicted / least_from(calibration.now, error), 1, 1e-9)
          << name_of(error.kind) << " on " << error.ranks;
      EXPECT_NEAR(error.error(), 0, 0.03) << "noise of one benchmark";
    }
}

TEST(Calibration, NamesTheCostsThatTheClusterDoesNotGive) {
  Cluster cluster = load_cluster("v100-32x4-edr");
  cluster.costs_not_given = {"software.collective_launch"};
  const Calibration calibration = calibrate(shipped("v100-32x4-edr-nccl"), &cluster);
  const std::string note =
      "Costs of the cluster not given, taken as 0: software.collective_launch.";
  EXPECT_NE(render_calibration(calibration).find(note), std::string::npos);
  EXPECT_NE(calibration_json(calibration).find(note), std::string::npos);
}

TEST(Calibration, SaysWhatItLeftOutAndWhy) {
  const std::string text = render_calibration(calibrate(shipped("v100-32x4-edr-nccl"), nullptr));
  EXPECT_NE(text.find("broadcast on 16 GPUs, 8 MiB to 32 MiB: outliers"), std::string::npos);
  EXPECT_NE(text.find("overlapping repetitions"), std::string::npos);
}

}  // namespace
}  // namespace stepcast
