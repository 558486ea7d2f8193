#include "models/device/gemm_model.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>

namespace stepcast {
namespace {

constexpr std::size_t kNeighbours = 8;
constexpr double kSamePlace = 1e-9;
constexpr double kMisaligned = 4;  // as far from an aligned shape as a side 16 times as long
// Weight of the law: that of a point half an octave away, which may well run another kernel.
constexpr double kTrust = 16;

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

GemmModel::GemmModel(std::span<const KernelPoint> points) : laws_(fit_gemm_laws(points)) {
  shortest_ = std::ranges::min_element(points, {}, &KernelPoint::time)->time;
  for (const KernelPoint& point : points)
    known_.push_back({place_of(point.shape), std::log(point.time / law_time(point.shape))});
}

Seconds GemmModel::law_time(const KernelShape& shape) const {
  double sum = 0;
  for (const GemmLaw& law : laws_)
    sum += std::log(gemm_time(law, shape).value);
  return {std::exp(sum / static_cast<double>(laws_.size()))};
}

double GemmModel::excess_at(const Place& place) const {
  std::vector<std::pair<double, double>> nearest;  // squared distance, excess
  for (const Known& known : known_)
    nearest.emplace_back(squared_distance(place, known.place), known.excess);
  const std::size_t used = std::min(kNeighbours, nearest.size());
  std::partial_sort(nearest.begin(), nearest.begin() + static_cast<std::ptrdiff_t>(used),
                    nearest.end());
  double weights = kTrust;
  double sum = 0;
  for (std::size_t i = 0; i < used; ++i) {
    const double distance = std::max(nearest[i].first, kSamePlace);
    weights += 1 / (distance * distance);
    sum += nearest[i].second / (distance * distance);
  }
  return sum / weights;
}

Seconds GemmModel::at(const KernelShape& shape) const {
  return std::max(shortest_, law_time(shape) * std::exp(excess_at(place_of(shape))));
}

}  // namespace stepcast
