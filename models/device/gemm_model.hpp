#pragma once

#include <array>
#include <span>
#include <vector>

#include "models/device/kernel_point.hpp"

namespace stepcast {

/// Time of matrix products of one precision by their shape.
///
/// A roofline whose launch time, peak rate and bandwidth are the best ones measured gives the bulk;
/// what a library reaches of it depends on tiles and waves and is taken from the nearest measured
/// shapes: the logarithm of measured over roofline, averaged over the eight nearest with the weight
/// 1 / distance^4 (Shepard, 1968), distances in logarithms of m, n and k. Tensor cores (tf32, bf16)
/// want columns that begin at multiples of 16 bytes: shapes that do and that do not are far apart.
class GemmModel {
 public:
  /// At least one point, all of one family.
  explicit GemmModel(std::span<const KernelPoint> points);

  Seconds at(const KernelShape& shape) const;

 private:
  using Place = std::array<double, 4>;
  struct Known {
    Place place{};
    double excess = 0;  // log(measured / roofline)
  };

  Seconds roofline(const KernelShape& shape) const;

  Seconds launch_{};
  FlopsPerSecond peak_{};
  BytesPerSecond bandwidth_{};
  std::vector<Known> known_;
};

}  // namespace stepcast
