#pragma once

#include <vector>

#include "models/base/units.hpp"

namespace stepcast {

/// Time of a kernel by its size, from measured points: between two points a power law (a straight
/// line in logarithms); below the first and beyond the last the line through the two nearest
/// points, its slope kept between 0 (start-up dominates) and 3 (an inverse).
class SizeCurve {
 public:
  struct Point {
    double size = 0;  ///< Above 0.
    Seconds time{};   ///< Above 0.
  };

  /// At least one point; of points of equal size the first counts.
  explicit SizeCurve(std::vector<Point> points);

  Seconds at(double size) const;

 private:
  std::vector<Point> points_;  // by size, strictly ascending
};

}  // namespace stepcast
