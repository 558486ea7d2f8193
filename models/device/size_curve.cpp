#include "models/device/size_curve.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace stepcast {
namespace {

double slope_between(const SizeCurve::Point& low, const SizeCurve::Point& high) {
  return std::log(high.time / low.time) / std::log(high.size / low.size);
}

}  // namespace

SizeCurve::SizeCurve(std::vector<Point> points) : points_(std::move(points)) {
  assert(!points_.empty());
  std::ranges::stable_sort(points_, {}, &Point::size);
  const auto same = [](const Point& a, const Point& b) { return a.size == b.size; };
  points_.erase(std::unique(points_.begin(), points_.end(), same), points_.end());
}

Seconds SizeCurve::at(double size) const {
  if (points_.size() == 1)
    return points_.front().time;
  const auto above = std::ranges::upper_bound(points_, size, {}, &Point::size);
  const auto high = std::clamp(above, points_.begin() + 1, points_.end() - 1);
  const Point& low = *(high - 1);
  double slope = slope_between(low, *high);
  if (size < low.size || size > high->size)
    slope = std::clamp(slope, 0.0, 3.0);
  const Point& base = size > high->size ? *high : low;
  return base.time * std::pow(size / base.size, slope);
}

}  // namespace stepcast
