#include "sim/study/calibration_errors.hpp"

#include <algorithm>

namespace stepcast {
namespace {

bool takes(const PointSelection& selection, const PointError& error) {
  const bool all_ranks = selection.ranks == 0;
  const bool same =
      error.kind == selection.kind &&
      (all_ranks || (error.ranks == selection.ranks && error.nodes == selection.nodes));
  const bool kept = error.measured.use == PointUse::Kept ||
                    (selection.with_outliers && error.measured.use == PointUse::Outlier);
  return same && kept && error.measured.size >= kSummedFrom;
}

}  // namespace

ErrorSummary errors_in(const std::vector<PointError>& errors, const PointSelection& selection,
                       PredictedBy by) {
  std::vector<double> selected;
  for (const PointError& error : errors)
    if (takes(selection, error))
      selected.push_back(by == PredictedBy::Curve ? error.error() : error.alpha_beta_error());
  return summary_of(std::move(selected));
}

std::vector<CollectiveKind> kinds_of(const MeasuredCollectives& measured) {
  std::vector<CollectiveKind> kinds;
  for (const CollectiveCurve& curve : measured.curves)
    if (std::ranges::find(kinds, curve.kind) == kinds.end())
      kinds.push_back(curve.kind);
  return kinds;
}

const PointError* find_left_out(const Calibration& calibration, const CollectiveCurve& curve,
                                Bytes size) {
  const auto found = std::ranges::find_if(calibration.left_out, [&](const PointError& error) {
    return error.kind == curve.kind && error.ranks == curve.ranks && error.nodes == curve.nodes &&
           error.measured.size == size;
  });
  return found == calibration.left_out.end() ? nullptr : &*found;
}

}  // namespace stepcast
