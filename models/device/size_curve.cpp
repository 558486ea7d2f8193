#include "models/device/size_curve.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace stepcast {
namespace {

constexpr double kSteepest = 3;

/// Slope at a point between two stretches: their weighted harmonic mean, 0 at a turn.
double inner_slope(double left_width, double left, double right_width, double right) {
  if (left * right <= 0)
    return 0;
  const double left_weight = 2 * right_width + left_width;
  const double right_weight = right_width + 2 * left_width;
  return (left_weight + right_weight) / (left_weight / left + right_weight / right);
}

}  // namespace

SizeCurve::SizeCurve(std::vector<Point> points) {
  assert(!points.empty());
  std::ranges::stable_sort(points, {}, &Point::size);
  for (const Point& point : points)
    if (knots_.empty() || std::log(point.size) > knots_.back().x)
      knots_.push_back({std::log(point.size), std::log(point.time.value)});
  const auto rise = [this](std::size_t i) {
    return (knots_[i + 1].y - knots_[i].y) / (knots_[i + 1].x - knots_[i].x);
  };
  const std::size_t last = knots_.size() - 1;
  for (std::size_t i = 1; i < last; ++i)
    knots_[i].slope = inner_slope(knots_[i].x - knots_[i - 1].x, rise(i - 1),
                                  knots_[i + 1].x - knots_[i].x, rise(i));
  if (last > 0) {
    knots_.front().slope = rise(0);
    knots_[last].slope = rise(last - 1);
  }
}

Seconds SizeCurve::at(double size) const {
  const double x = std::log(size);
  if (x <= knots_.front().x || x >= knots_.back().x)
    return {std::exp(beyond(x))};
  const auto high = std::ranges::upper_bound(knots_, x, {}, &Knot::x);
  return {std::exp(between(*(high - 1), *high, x))};
}

double SizeCurve::beyond(double x) const {
  const Knot& end = x <= knots_.front().x ? knots_.front() : knots_.back();
  return end.y + (x - end.x) * std::clamp(end.slope, 0.0, kSteepest);
}

/// The cubic with the values and slopes of both ends (Hermite).
double SizeCurve::between(const Knot& low, const Knot& high, double x) const {
  const double width = high.x - low.x;
  const double t = (x - low.x) / width;
  const double rest = 1 - t;
  return rest * rest * ((1 + 2 * t) * low.y + t * width * low.slope) +
         t * t * ((1 + 2 * rest) * high.y - rest * width * high.slope);
}

}  // namespace stepcast
