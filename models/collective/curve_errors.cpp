#include "models/collective/curve_errors.hpp"

#include "models/collective/curve_fit.hpp"
#include "models/collective/measured_curve.hpp"

namespace stepcast {
namespace {

bool are_relatives(const CollectiveCurve& a, const CollectiveCurve& b) {
  return a.kind == b.kind && scope_of(a.ranks, a.nodes) == scope_of(b.ranks, b.nodes);
}

/// The curves of the same kind and scope, fitted; with or without the curve itself.
MeasuredCollectives relatives_of(const MeasuredCollectives& measured, const CollectiveCurve& curve,
                                 bool with_itself) {
  MeasuredCollectives relatives;
  for (const CollectiveCurve& other : measured.curves)
    if (are_relatives(other, curve) && (with_itself || other.ranks != curve.ranks))
      relatives.curves.push_back(other);
  fit_curves(relatives);
  return relatives;
}

void add_errors(std::vector<PointError>& errors, const MeasuredCollectives& relatives,
                const CollectiveCurve& curve) {
  if (relatives.fits.empty())
    return;
  for (const CurvePoint& point : curve.points)
    errors.push_back(
        {.kind = curve.kind,
         .ranks = curve.ranks,
         .nodes = curve.nodes,
         .measured = point,
         .predicted = find_time(relatives, curve.kind, curve.ranks, curve.nodes, point.size)->time,
         .alpha_beta = alpha_beta_time(relatives.fits.front(), curve.ranks, point.size)});
}

std::vector<PointError> errors_of(const MeasuredCollectives& measured, bool with_itself) {
  std::vector<PointError> errors;
  for (const CollectiveCurve& curve : measured.curves)
    add_errors(errors, relatives_of(measured, curve, with_itself), curve);
  return errors;
}

}  // namespace

std::vector<PointError> leave_one_rank_count_out(const MeasuredCollectives& measured) {
  return errors_of(measured, false);
}

std::vector<PointError> errors_of_fit(const MeasuredCollectives& measured) {
  return errors_of(measured, true);
}

}  // namespace stepcast
