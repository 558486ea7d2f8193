#pragma once

#include <array>
#include <span>
#include <vector>

#include "models/device/gemm_law.hpp"
#include "models/device/kernel_point.hpp"

namespace stepcast {

/// Time of matrix products of one precision by their shape.
///
/// Laws of how a GPU multiplies (see GemmLaw) are fitted to the points; their times' geometric mean
/// is the law's time. What a library's kernels
/// make of it is taken from the nearest measured shapes: the logarithm of measured over the law's
/// time, averaged over the eight nearest with the weight 1 / distance^4 (Shepard, 1968), distances
/// in logarithms of m, n and k, and drawn towards none where no point is near.
/// Shapes that tensor cores like and others are far apart.
class GemmModel {
 public:
  /// At least one point, all of one family.
  explicit GemmModel(std::span<const KernelPoint> points);

  Seconds at(const KernelShape& shape) const;

 private:
  using Place = std::array<double, 4>;
  struct Known {
    Place place{};
    double excess = 0;  // log(measured / law)
  };

  Seconds law_time(const KernelShape& shape) const;
  double excess_at(const Place& place) const;

  std::vector<GemmLaw> laws_;
  Seconds shortest_{};  // measured, which no prediction falls below
  std::vector<Known> known_;
};

}  // namespace stepcast
