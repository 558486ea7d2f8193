#include "models/device/gemm_model.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace stepcast {
namespace {

constexpr std::size_t kNeighbours = 8;
constexpr double kSamePlace = 1e-9;
constexpr double kMisaligned = 4;  // as far from an aligned shape as a side 16 times as long

/// Whether every column of A, B and C (m, k, m elements long) begins at 16 bytes, if it matters.
bool is_aligned(const KernelShape& shape) {
  if (shape.family == KernelFamily::GemmFp32)
    return true;
  const std::uint64_t elements = shape.family == KernelFamily::GemmBf16 ? 8 : 4;
  return shape.m % elements == 0 && shape.k % elements == 0;
}

std::array<double, 4> place_of(const KernelShape& shape) {
  return {std::log2(static_cast<double>(shape.m)), std::log2(static_cast<double>(shape.n)),
          std::log2(static_cast<double>(shape.k)), is_aligned(shape) ? 0 : kMisaligned};
}

double squared_distance(const std::array<double, 4>& a, const std::array<double, 4>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

}  // namespace

GemmModel::GemmModel(std::span<const KernelPoint> points) {
  assert(!points.empty());
  launch_ = points.front().time;
  for (const KernelPoint& point : points) {
    launch_ = std::min(launch_, point.time);
    peak_ = std::max(peak_, FlopsPerSecond{flops_of(point.shape).value / point.time.value});
    bandwidth_ = std::max(bandwidth_, traffic_of(point.shape) / point.time);
  }
  for (const KernelPoint& point : points)
    known_.push_back({place_of(point.shape), std::log(point.time / roofline(point.shape))});
}

Seconds GemmModel::roofline(const KernelShape& shape) const {
  return std::max({launch_, flops_of(shape) / peak_, traffic_of(shape) / bandwidth_});
}

Seconds GemmModel::at(const KernelShape& shape) const {
  const Place place = place_of(shape);
  std::vector<std::pair<double, double>> nearest;  // squared distance, excess
  for (const Known& known : known_)
    nearest.emplace_back(squared_distance(place, known.place), known.excess);
  const std::size_t used = std::min(kNeighbours, nearest.size());
  std::partial_sort(nearest.begin(), nearest.begin() + static_cast<std::ptrdiff_t>(used),
                    nearest.end());
  double weights = 0;
  double sum = 0;
  for (std::size_t i = 0; i < used; ++i) {
    const double distance = std::max(nearest[i].first, kSamePlace);
    weights += 1 / (distance * distance);
    sum += nearest[i].second / (distance * distance);
  }
  return roofline(shape) * std::exp(sum / weights);
}

}  // namespace stepcast
