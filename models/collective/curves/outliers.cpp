#include "models/collective/curves/outliers.hpp"

#include <algorithm>
#include <iterator>

#include "models/base/statistics.hpp"
#include "models/collective/curve_law.hpp"
#include "models/collective/measured_curve.hpp"

namespace stepcast {
namespace {

using Family = CurveFamilyView;

constexpr double kLostBandwidth = 0.5;

/// Below half the bandwidth that its curve had reached at a smaller size.
bool has_lost_bandwidth(const CollectiveCurve& curve, const CurvePoint& point) {
  return std::ranges::any_of(curve.points, [&](const CurvePoint& other) {
    return other.use == PointUse::Kept && other.size < point.size &&
           point.size / point.time < other.size / other.time * kLostBandwidth;
  });
}

void mark_lost_bandwidth(CollectiveCurve& curve) {
  for (CurvePoint& point : curve.points)
    if (point.use == PointUse::Kept && has_lost_bandwidth(curve, point))
      point.use = PointUse::Outlier;
}

/// Times of a ring step at a chunk, on every curve that covers it.
std::vector<double> steps_at(const Family& family, Bytes chunk, Bytes ring_from) {
  std::vector<double> steps;
  for (const CollectiveCurve* curve : family)
    if (const auto time = CurveSection{curve, ring_from}.find_time(chunk * curve->ranks))
      steps.push_back(time->value / ring_rounds(curve->kind, curve->ranks));
  return steps;
}

bool is_off(double ratio) {
  return ratio > kOutlier || ratio < 1 / kOutlier;
}

bool differs_from_other_ranks(const Family& family, const CollectiveCurve& curve,
                              const CurvePoint& point, Bytes ring_from) {
  std::vector<double> steps = steps_at(family, point.size / curve.ranks, ring_from);
  if (steps.size() < 3)
    return false;
  return is_off(point.time.value / ring_rounds(curve.kind, curve.ranks) /
                median_of(std::move(steps)));
}

/// What the neighbours on its own curve expect: a time on the line between them, and at an end one
/// between that of the neighbour and that in proportion to the size.
bool sticks_out(const CollectiveCurve& curve, const CurvePoint& point, Bytes ring_from) {
  const CurveSection section{&curve, ring_from};
  const CurvePoint* left = nullptr;
  const CurvePoint* right = nullptr;
  for (const CurvePoint& other : curve.points) {
    if (!section.has(other) || other.size == point.size)
      continue;
    if (other.size < point.size)
      left = &other;
    else if (!right)
      right = &other;
  }
  if (left && right)
    return is_off(point.time / time_between(*left, *right, point.size));
  const CurvePoint* neighbour = left ? left : right;
  if (!neighbour)
    return true;
  const Seconds in_proportion = neighbour->time * (point.size / neighbour->size);
  const auto [least, most] = std::minmax(neighbour->time, in_proportion);
  return point.time > most * kOutlier || point.time < least / kOutlier;
}

/// Points in a row that differ from the other rank counts are outliers if one of them does not fit
/// its own curve: a log whose end is smooth may know better.
std::vector<CurvePoint*> outliers_of(const Family& family, CollectiveCurve& curve,
                                     Bytes ring_from) {
  std::vector<CurvePoint*> outliers;
  std::vector<CurvePoint*> row;
  bool disturbed = false;
  const auto end_row = [&] {
    if (disturbed)
      outliers.insert(outliers.end(), row.begin(), row.end());
    row.clear();
    disturbed = false;
  };
  for (CurvePoint& point : curve.points) {
    if (!CurveSection{&curve, ring_from}.has(point))
      continue;
    if (!differs_from_other_ranks(family, curve, point, ring_from)) {
      end_row();
      continue;
    }
    row.push_back(&point);
    disturbed |= sticks_out(curve, point, ring_from) || has_lost_bandwidth(curve, point);
  }
  end_row();
  return outliers;
}

}  // namespace

void mark_outliers(const Family& family, Bytes ring_from) {
  std::vector<CurvePoint*> off;
  for (CollectiveCurve* curve : family)
    std::ranges::copy(outliers_of(family, *curve, ring_from), std::back_inserter(off));
  for (CurvePoint* point : off)
    point->use = PointUse::Outlier;
  for (CollectiveCurve* curve : family)
    mark_lost_bandwidth(*curve);
}

}  // namespace stepcast
