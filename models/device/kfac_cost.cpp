#include "models/device/kfac_cost.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <tuple>

namespace stepcast {
namespace {

constexpr double kElementSize = 4;  // fp32

double square(double side) {
  return side * side;
}

double cube(double side) {
  return side * side * side;
}

double triangle(double side) {
  return side * (side + 1) / 2;
}

Seconds passes_time(const KfacCosts& costs, double passes, double elements) {
  if (passes == 0)
    return {};
  return Bytes{passes * kElementSize * elements} / costs.memory_bandwidth;
}

/// The power law through two measured points, at `side`.
double between(double side, double low_side, double low, double high_side, double high) {
  const double part = std::log(side / low_side) / std::log(high_side / low_side);
  return low * std::pow(high / low, part);
}

FlopsPerSecond rate_at(const KfacCosts& costs, std::uint32_t side) {
  const auto& points = costs.products;
  assert(!points.empty());
  const auto above = std::ranges::lower_bound(points, side, {}, &RatePoint::side);
  if (above == points.end())
    return points.back().rate;
  if (above == points.begin() || above->side == side)
    return above->rate;
  const auto& below = *(above - 1);
  return {between(side, below.side, below.rate.value, above->side, above->rate.value)};
}

// What the cube of a side is multiplied by: of t = a + b s + c s^3 through three points the second
// divided difference is c (s1 + s2 + s3). No point takes less than its arithmetic.
Seconds inverse_arithmetic(const std::vector<InversePoint>& points) {
  Seconds arithmetic = points.back().time / cube(points.back().side);
  for (const InversePoint& point : points)
    arithmetic = std::min(arithmetic, point.time / cube(point.side));
  if (points.size() < 3)
    return arithmetic;
  const auto& [a, b, c] = std::tie(*(points.end() - 3), *(points.end() - 2), points.back());
  const auto slope = [](const InversePoint& from, const InversePoint& to) {
    return (to.time - from.time) / (static_cast<double>(to.side) - from.side);
  };
  const double sides = static_cast<double>(a.side) + b.side + c.side;
  const Seconds told = (slope(b, c) - slope(a, b)) / (static_cast<double>(c.side) - a.side) / sides;
  return std::clamp(told, Seconds{}, arithmetic);
}

Seconds measured_inverse(const KfacCosts& costs, std::uint32_t side) {
  const auto& points = costs.inverses;
  assert(!points.empty());
  const auto above = std::ranges::lower_bound(points, side, {}, &InversePoint::side);
  if (above == points.end())
    return points.back().time * cube(static_cast<double>(side) / points.back().side);
  if (above == points.begin() || above->side == side)
    return above->time;
  const auto& below = *(above - 1);
  const Seconds arithmetic = inverse_arithmetic(points);
  const auto panels = [&](const InversePoint& point) {
    return point.time - arithmetic * cube(point.side);
  };
  const double part = (static_cast<double>(side) - below.side) / (above->side - below.side);
  return arithmetic * cube(side) + panels(below) * (1 - part) + panels(*above) * part;
}

Seconds product_time(const KfacCosts& costs, Flops work, std::uint32_t side) {
  return costs.product_launch + work / rate_at(costs, side);
}

}  // namespace

Seconds factor_time(const KfacCosts& costs, std::uint64_t rows, std::uint32_t side) {
  const auto samples = static_cast<double>(rows);
  return costs.factor_launch + product_time(costs, {2 * samples * square(side)}, side) +
         passes_time(costs, costs.unfold_passes, samples * side) +
         passes_time(costs, costs.average_passes, square(side));
}

Seconds inverse_time(const KfacCosts& costs, std::uint32_t side) {
  return costs.inverse_launch + measured_inverse(costs, side) +
         passes_time(costs, costs.inverse_passes, square(side));
}

Seconds precondition_time(const KfacCosts& costs, std::uint32_t a, std::uint32_t g) {
  const double both = static_cast<double>(a) * g;
  const std::uint32_t side = std::min(a, g);
  return costs.precondition_launch + product_time(costs, {2 * both * g}, side) +
         product_time(costs, {2 * both * a}, side);
}

Seconds kl_clip_time(const KfacCosts& costs) {
  return costs.precondition_launch;
}

Seconds packing_time(const KfacCosts& costs, std::uint32_t side) {
  return passes_time(costs, costs.packing_passes, triangle(side));
}

Seconds unpacking_time(const KfacCosts& costs, std::uint32_t side) {
  return passes_time(costs, costs.unpacking_passes, triangle(side));
}

}  // namespace stepcast
