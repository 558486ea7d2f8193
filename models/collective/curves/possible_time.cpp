#include "models/collective/curves/possible_time.hpp"

#include <algorithm>
#include <optional>

#include "models/collective/collective.hpp"
#include "models/collective/curve_law.hpp"
#include "models/collective/measured_curve.hpp"

namespace stepcast {
namespace {

using Law = std::function<Seconds(Bytes)>;

enum class Side { Below, Above };

/// The nearest size of a point on that side (below: or equal), if there is one.
std::optional<Bytes> find_point(const CurveQuestion& question, Bytes size, Side side) {
  constexpr double kRounding = 1 + 1e-9;
  const bool above = side == Side::Above;
  std::optional<Bytes> nearest;
  const auto take = [&](Bytes candidate) {
    const bool on_side = above ? candidate > size * kRounding : candidate <= size * kRounding;
    if (on_side && (!nearest || (above ? candidate < *nearest : candidate > *nearest)))
      nearest = candidate;
  };
  for (const CollectiveCurve* curve : question.curves)
    for (const CurvePoint& point : curve->points) {
      if (point.use != PointUse::Kept)
        continue;
      take(point.size);
      take(point.size / curve->ranks * question.ranks);
    }
  return nearest;
}

Seconds fastest_time(const CurveQuestion& question, Bytes size) {
  return size * bus_factor(question.fit.kind, question.ranks) / question.fit.fastest;
}

/// Of this point and all larger ones. Those whose bytes alone take longer need no look.
Seconds least_from(const CurveQuestion& question, Bytes point, const Law& law) {
  Seconds least = std::max(law(point), fastest_time(question, point));
  std::optional<Bytes> next = find_point(question, point, Side::Above);
  while (next && fastest_time(question, *next) < least) {
    least = std::min(least, std::max(law(*next), fastest_time(question, *next)));
    next = find_point(question, *next, Side::Above);
  }
  return least;
}

}  // namespace

Seconds possible_time(const CurveQuestion& question, Bytes size, const Law& law) {
  const std::optional<Bytes> left = find_point(question, size, Side::Below);
  const std::optional<Bytes> right = find_point(question, size, Side::Above);
  if (!left)
    return least_from(question, *right, law);
  if (right) {
    const Seconds most = least_from(question, *right, law);
    const Seconds least = std::min(most, std::max(law(*left), fastest_time(question, *left)));
    return time_between({*left, least}, {*right, most}, std::max(size, *left));
  }
  const Seconds last = least_from(question, *left, law);
  const Seconds more = (size - *left) / question.ranks / ring_bandwidth(question.fit) *
                       ring_rounds(question.fit.kind, question.ranks);
  return std::max(last + std::max(Seconds{}, more), fastest_time(question, size));
}

BytesPerSecond ring_bandwidth(const CurveFit& fit) {
  return fit.fastest > BytesPerSecond{} ? std::min(fit.bandwidth, fit.fastest) : fit.bandwidth;
}

}  // namespace stepcast
