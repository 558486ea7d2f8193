#pragma once

#include <vector>

#include "models/base/units.hpp"

namespace stepcast {

/// Time of a kernel by its size, from measured points: between them a cubic in logarithms that is
/// monotone where the points are (Fritsch and Butland, 1984), so that a power law is a straight
/// line and the bend from start-up to bandwidth is smooth. Below the first and beyond the last
/// point the line through the two nearest, its slope kept between 0 (start-up dominates) and 3 (an
/// inverse).
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
  struct Knot {
    double x = 0;  // logarithms
    double y = 0;
    double slope = 0;
  };

  double beyond(double x) const;
  double between(const Knot& low, const Knot& high, double x) const;

  std::vector<Knot> knots_;  // by x, strictly ascending
};

}  // namespace stepcast
