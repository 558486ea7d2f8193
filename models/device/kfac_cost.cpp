#include "models/device/kfac_cost.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace stepcast {
namespace {

constexpr double kElementSize = 4;  // fp32

double square(double side) {
  return side * side;
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

Seconds measured_inverse(const KfacCosts& costs, std::uint32_t side) {
  const auto& points = costs.inverses;
  assert(!points.empty());
  const auto above = std::ranges::lower_bound(points, side, {}, &InversePoint::side);
  if (above == points.end())
    return points.back().time * std::pow(static_cast<double>(side) / points.back().side, 3);
  if (above == points.begin() || above->side == side)
    return above->time;
  const auto& below = *(above - 1);
  return {between(side, below.side, below.time.value, above->side, above->time.value)};
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
