#include "models/collective/curve_errors.hpp"

#include "models/collective/curve_fit.hpp"
#include "models/collective/measured_curve.hpp"

namespace stepcast {
namespace {

bool are_relatives(const CollectiveCurve& a, const CollectiveCurve& b) {
  return a.kind == b.kind && scope_of(a.ranks, a.nodes) == scope_of(b.ranks, b.nodes);
}

/// The curves of the same kind and scope but for the curve itself, fitted.
MeasuredCollectives others_of(const MeasuredCollectives& measured, const CollectiveCurve& curve) {
  MeasuredCollectives others{.nccl = measured.nccl};
  for (const CollectiveCurve& other : measured.curves)
    if (are_relatives(other, curve) && other.ranks != curve.ranks)
      others.curves.push_back(other);
  fit_curves(others);
  return others;
}

/// Does nothing for a curve whose kind and scope were not fitted.
void add_errors(std::vector<PointError>& errors, const MeasuredCollectives& fitted,
                const CollectiveCurve& curve) {
  const CurveFit* fit = find_fit(fitted, curve.kind, scope_of(curve.ranks, curve.nodes));
  if (!fit)
    return;
  for (const CurvePoint& point : curve.points)
    errors.push_back(
        {.kind = curve.kind,
         .ranks = curve.ranks,
         .nodes = curve.nodes,
         .measured = point,
         .predicted = find_time(fitted, curve.kind, curve.ranks, curve.nodes, point.size)->time,
         .alpha_beta = alpha_beta_time(*fit, curve.ranks, point.size)});
}

}  // namespace

std::vector<PointError> leave_one_rank_count_out(const MeasuredCollectives& measured,
                                                 const std::function<void()>& predicted) {
  std::vector<PointError> errors;
  for (const CollectiveCurve& curve : measured.curves) {
    add_errors(errors, others_of(measured, curve), curve);
    if (predicted)
      predicted();
  }
  return errors;
}

std::vector<PointError> errors_of_fit(const MeasuredCollectives& measured) {
  MeasuredCollectives fitted = measured;
  fit_curves(fitted);
  std::vector<PointError> errors;
  for (const CollectiveCurve& curve : measured.curves)
    add_errors(errors, fitted, curve);
  return errors;
}

}  // namespace stepcast
