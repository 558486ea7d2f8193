#pragma once
// What the kernels of second-order training (K-FAC) take on a device, from measured points.
//
// Between two measured sides a rate is interpolated along a power law (a straight line in
// logarithms); beyond the last one it stays. An inverse is worked out panel by panel: arithmetic
// that grows with the cube of the side, as fast as the three largest points have it, and launches
// of panels, the rest of each point, that grow with the side: a straight line between two points.
// Beyond the last point all of it grows with the cube.

#include <cstdint>
#include <vector>

#include "models/base/provenance.hpp"
#include "models/base/units.hpp"
#include "models/device/device_spec.hpp"

namespace stepcast {

/// fp32 rate of a product whose smaller side is `side`.
struct RatePoint {
  std::uint32_t side = 0;
  FlopsPerSecond rate{};
};

/// Time to invert a symmetric matrix.
struct InversePoint {
  std::uint32_t side = 0;
  Seconds time{};
};

/// Costs of one type of GPU. Points are in ascending order of their side and never empty. A pass is
/// one fp32 read or write of every element.
struct KfacCosts {
  std::vector<RatePoint> products;
  Seconds product_launch{};     ///< Of every matrix product.
  Seconds factor_launch{};      ///< Of every factor: unfolding, transposing, averaging.
  double unfold_passes = 0;     ///< Over the rows x side elements that a factor is made of.
  double average_passes = 0;    ///< Over the side x side elements of a factor's running average.
  double packing_passes = 0;    ///< Over the triangle, to copy it into a packed buffer.
  double unpacking_passes = 0;  ///< Over the triangle, to copy it back, into both halves.
  std::vector<InversePoint> inverses;
  Seconds inverse_launch{};  ///< Of every inverse, beyond the measured point.
  double inverse_passes =
      0;  ///< Over side x side elements, beyond the measured point: damping, copies.
  Seconds precondition_launch{};  ///< Of every layer, and of the KL clip.
  BytesPerSecond memory_bandwidth{};
  Provenance provenance;
};

/// Builds one factor: unfolding, rows x side^2 multiply-accumulates, running average.
Seconds factor_time(const KfacCosts& costs, std::uint64_t rows, std::uint32_t side);

/// Inverts one damped factor.
Seconds inverse_time(const KfacCosts& costs, std::uint32_t side);

/// G^-1 * gradient * A^-1 of one layer: 2 g a (g + a) operations, and its share of the KL clip.
Seconds precondition_time(const KfacCosts& costs, std::uint32_t a, std::uint32_t g);

/// The scalar over all layers that bounds the size of the update.
Seconds kl_clip_time(const KfacCosts& costs);

/// Copies the triangle of one factor or inverse into a packed buffer, and back.
Seconds packing_time(const KfacCosts& costs, std::uint32_t side);
Seconds unpacking_time(const KfacCosts& costs, std::uint32_t side);

}  // namespace stepcast
