#pragma once

#include <vector>

#include "models/base/statistics.hpp"
#include "models/base/units.hpp"
#include "sim/study/calibration.hpp"

namespace stepcast {

/// Errors of smaller sizes are in the JSON, but not summed up: start-up of a host decides there.
inline constexpr Bytes kSummedFrom{65536};

/// Which points' errors to sum up: of one kind, kept, from kSummedFrom on.
struct PointSelection {
  CollectiveKind kind = CollectiveKind::AllReduce;
  std::uint32_t ranks = 0;  ///< 0: of all rank counts.
  std::uint32_t nodes = 0;
  bool with_outliers = false;
};

enum class PredictedBy : std::uint8_t { Curve, AlphaBeta };

ErrorSummary errors_in(const std::vector<PointError>& errors, const PointSelection& selection,
                       PredictedBy by);

/// The kinds that were measured, in the order of their curves.
std::vector<CollectiveKind> kinds_of(const MeasuredCollectives& measured);

/// A point of `curve` as the other rank counts predict it; null if it stands alone.
const PointError* find_left_out(const Calibration& calibration, const CollectiveCurve& curve,
                                Bytes size);

}  // namespace stepcast
