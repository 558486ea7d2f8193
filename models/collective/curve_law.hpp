#pragma once

#include <optional>
#include <span>
#include <vector>

#include "models/base/units.hpp"
#include "models/network/measured_collectives.hpp"

namespace stepcast {

/// A measured time at a count of steps (ring rounds, or levels of a tree).
struct LawSample {
  double steps = 0;
  Seconds time{};
};

/// time = fixed + steps * per_step, neither below zero.
struct LinearLaw {
  Seconds fixed{};
  Seconds per_step{};
  Seconds at(double steps) const { return fixed + per_step * steps; }
};

/// Least squares of the relative errors. One sample: proportional to the steps. Precondition: a
/// sample, times above zero.
LinearLaw fit_law(std::span<const LawSample> samples);

/// Between two samples on the line through them; outside, the nearest sample continued with the
/// fitted law. Sorts the samples. Precondition: as of fit_law().
Seconds time_by_law(std::vector<LawSample> samples, double steps);

/// On the line through two points in log(size) and log(time).
Seconds time_between(const CurvePoint& left, const CurvePoint& right, Bytes size);

/// The part of a curve that a law reads: kept points from `from` on and below `below`.
struct CurveSection {
  const CollectiveCurve* curve = nullptr;
  Bytes from{};
  Bytes below{};  ///< 0: no end.

  bool has(const CurvePoint& point) const;
  std::optional<CurvePoint> first() const;
  std::optional<CurvePoint> last() const;

  /// Linear in log(size) and log(time) between two points; none outside.
  std::optional<Seconds> find_time(Bytes size) const;
};

}  // namespace stepcast
