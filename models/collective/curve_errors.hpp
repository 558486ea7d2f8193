#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/base/units.hpp"
#include "models/network/measured_collectives.hpp"

namespace stepcast {

/// How well a measured point is predicted.
struct PointError {
  CollectiveKind kind = CollectiveKind::AllReduce;
  std::uint32_t ranks = 2;
  std::uint32_t nodes = 1;
  CurvePoint measured;
  Seconds predicted{};
  Seconds alpha_beta{};  ///< By the alpha-beta line of the same fit.

  double error() const { return predicted / measured.time - 1; }
  double alpha_beta_error() const { return alpha_beta / measured.time - 1; }
};

/// Predicts each curve from the curves of the same kind and scope without it, fitted anew. Curves
/// that stand alone are not among the results. A point's use is that of the fit of all curves.
/// `predicted`, if there is one, is called after every curve: many rank counts take long.
std::vector<PointError> leave_one_rank_count_out(const MeasuredCollectives& measured,
                                                 const std::function<void()>& predicted = {});

/// The points themselves, with the alpha-beta line fitted to all of them: `predicted` is off only
/// where a point was left out, or took longer than a larger size.
std::vector<PointError> errors_of_fit(const MeasuredCollectives& measured);

}  // namespace stepcast
