#include "models/collective/curve_law.hpp"

#include <algorithm>
#include <cmath>

namespace stepcast {
namespace {

LinearLaw proportional(std::span<const LawSample> samples) {
  double xx = 0;
  double x = 0;
  for (const auto& [steps, time] : samples) {
    const double ratio = steps / time.value;
    xx += ratio * ratio;
    x += ratio;
  }
  return {{}, Seconds{xx > 0 ? x / xx : 0}};
}

LinearLaw constant(std::span<const LawSample> samples) {
  double weight = 0;
  double sum = 0;
  for (const LawSample& sample : samples) {
    weight += 1 / (sample.time.value * sample.time.value);
    sum += 1 / sample.time.value;
  }
  return {Seconds{sum / weight}, {}};
}

Seconds between(const LawSample& left, const LawSample& right, double steps) {
  const double part = (steps - left.steps) / (right.steps - left.steps);
  return left.time + (right.time - left.time) * part;
}

}  // namespace

Seconds time_between(const CurvePoint& left, const CurvePoint& right, Bytes size) {
  const double part = std::log(size / left.size) / std::log(right.size / left.size);
  return left.time * std::pow(right.time / left.time, part);
}

LinearLaw fit_law(std::span<const LawSample> samples) {
  // Normal equations of sum(((fixed + per_step * steps) / time - 1)^2).
  double ww = 0;
  double wx = 0;
  double xx = 0;
  double w = 0;
  double x = 0;
  for (const auto& [steps, time] : samples) {
    const double weight = 1 / time.value;
    ww += weight * weight;
    wx += weight * weight * steps;
    xx += weight * weight * steps * steps;
    w += weight;
    x += weight * steps;
  }
  const double determinant = ww * xx - wx * wx;
  if (!(determinant > 1e-12 * ww * xx))
    return xx > 0 ? proportional(samples) : constant(samples);
  const LinearLaw law{Seconds{(w * xx - x * wx) / determinant},
                      Seconds{(x * ww - w * wx) / determinant}};
  if (law.fixed < Seconds{})
    return proportional(samples);
  return law.per_step < Seconds{} ? constant(samples) : law;
}

Seconds time_by_law(std::vector<LawSample> samples, double steps) {
  std::ranges::sort(samples, {}, &LawSample::steps);
  const auto right = std::ranges::lower_bound(samples, steps, {}, &LawSample::steps);
  if (right != samples.end() && right->steps == steps)
    return right->time;
  if (right != samples.begin() && right != samples.end())
    return between(right[-1], *right, steps);
  const LawSample& nearest = right == samples.end() ? samples.back() : samples.front();
  const LinearLaw law = fit_law(samples);
  return nearest.time * (law.at(steps) / law.at(nearest.steps));
}

bool CurveSection::has(const CurvePoint& point) const {
  return point.use == PointUse::Kept && point.size >= from &&
         (below == Bytes{} || point.size < below);
}

std::optional<CurvePoint> CurveSection::first() const {
  const auto& points = curve->points;
  const auto found = std::ranges::find_if(points, [&](const auto& point) { return has(point); });
  return found == points.end() ? std::nullopt : std::optional(*found);
}

std::optional<CurvePoint> CurveSection::last() const {
  std::optional<CurvePoint> result;
  for (const CurvePoint& point : curve->points)
    if (has(point))
      result = point;
  return result;
}

std::optional<Seconds> CurveSection::find_time(Bytes size) const {
  constexpr double kRounding = 1e-9;  // A chunk times its ranks is the size again, but for this.
  std::optional<CurvePoint> left;
  for (const CurvePoint& point : curve->points) {
    if (!has(point))
      continue;
    if (std::abs(size / point.size - 1) < kRounding)
      return point.time;
    if (point.size > size)
      return left ? std::optional(time_between(*left, point, size)) : std::nullopt;
    left = point;
  }
  return std::nullopt;
}

}  // namespace stepcast
