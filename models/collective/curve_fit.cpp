#include "models/collective/curve_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "models/base/statistics.hpp"
#include "models/collective/algorithms.hpp"
#include "models/collective/curve_law.hpp"
#include "models/collective/curves/outliers.hpp"
#include "models/collective/curves/trees.hpp"
#include "models/collective/measured_curve.hpp"

// A library runs one algorithm up to some size and another one above, and a benchmark has points
// that are not what they seem. Curves of a kind on as many GPUs a node are a family: rounds *
// (start-up + chunk / bandwidth) is the ring's law, so that points of all rank counts are one cloud
// over the chunk. What is no such point goes first (rates instead of times); each size is tried as
// the end of the trees, by how well each rank count is predicted from the others; outliers are
// looked for beside the best, and the line is fitted to the rest. Once for each file of curves:
// O(sizes x curves x points) predictions, some milliseconds.
namespace stepcast {
namespace {

constexpr double kFlat = 1.25;        // Grows less than this: does not grow with the ranks.
constexpr Bytes kAssumedTree{65536};  // Where no three rank counts tell.

using Family = CurveFamilyView;
using FamilyKey = std::pair<CollectiveKind, std::uint32_t>;

std::map<FamilyKey, Family> families_of(MeasuredCollectives& measured) {
  std::map<FamilyKey, Family> families;
  for (CollectiveCurve& curve : measured.curves)
    families[{curve.kind, scope_of(curve.ranks, curve.nodes)}].push_back(&curve);
  for (auto& [key, family] : families)
    std::ranges::sort(family, {}, &CollectiveCurve::ranks);
  return families;
}

double rounds_of(const CollectiveCurve& curve) {
  return ring_rounds(curve.kind, curve.ranks);
}

/// Whether the curves take about the same time at a size that all of them have.
bool is_flat(const Family& family, Bytes size) {
  const auto few = CurveSection{family.front()}.find_time(size);
  const auto many = CurveSection{family.back()}.find_time(size);
  return few && many && *many < *few * kFlat;
}

void mark_pipelined(const Family& family) {
  if (!is_rooted(family.front()->kind) || family.size() < 2 ||
      rounds_of(*family.back()) < 2 * rounds_of(*family.front()))
    return;
  const CollectiveCurve longest = *family.front();  // A copy: marking changes what is kept.
  Bytes rate_up_to{};
  for (const CurvePoint& point : longest.points) {
    if (!is_flat(family, point.size))
      break;
    rate_up_to = point.size;
  }
  for (CollectiveCurve* curve : family)
    for (CurvePoint& point : curve->points)
      if (point.size <= rate_up_to)
        point.use = PointUse::Pipelined;
}

/// Alpha and beta of rounds * (alpha + chunk * beta), relative least squares over the kept points
/// of the ring: the law of fit_law() with the chunk for steps and the time of a step for time.
void fit_alpha_beta(const Family& family, CurveFit& fit) {
  std::vector<LawSample> samples;
  for (const CollectiveCurve* curve : family)
    for (const CurvePoint& point : curve->points)
      if (CurveSection{curve, fit.tree_below}.has(point))
        samples.push_back({(point.size / curve->ranks).value, point.time / rounds_of(*curve)});
  if (samples.empty())
    return;
  const LinearLaw law = fit_law(samples);
  fit.startup = law.fixed;
  // A curve that never grows has no bandwidth to tell; nothing is then added beyond its end.
  fit.bandwidth = law.per_step > Seconds{} ? BytesPerSecond{1 / law.per_step.value}
                                           : BytesPerSecond{std::numeric_limits<double>::max()};
}

/// Sum of the |log errors| when each curve is predicted from the others with this change of law.
/// None counts for more than an outlier: those are not known yet.
double error_with(const Family& family, CurveFit fit, std::optional<NodePath> nccl) {
  double sum = 0;
  for (const CollectiveCurve* left_out : family) {
    if (!Trees(fit, nccl, left_out->ranks).may_be_taken_by(left_out->ranks))
      continue;  // Tells nothing of trees, nor they of it.
    MeasuredCollectives rest{.fits = {fit}, .nccl = nccl};
    for (const CollectiveCurve* curve : family)
      if (curve != left_out)
        rest.curves.push_back(*curve);
    for (const CurvePoint& point : left_out->points) {
      if (point.use != PointUse::Kept)
        continue;
      const auto estimate = find_time(rest, fit.kind, left_out->ranks, left_out->nodes, point.size);
      sum += std::min(std::abs(std::log(estimate->time / point.time)), std::log(kOutlier));
    }
  }
  return sum;
}

Bytes find_tree_below(const Family& family, CurveFit fit, std::optional<NodePath> nccl) {
  if (fit.kind != CollectiveKind::AllReduce)
    return {};
  if (family.size() < 3)
    return kAssumedTree;
  // The largest size stays with the ring, so that it always has something to stand on.
  const auto& points = family.back()->points;
  double least = std::numeric_limits<double>::max();
  Bytes best = kAssumedTree;
  for (std::size_t i = 0; i < points.size(); ++i) {
    fit.tree_below = i == 0 ? Bytes{} : points[i].size;
    const double error = error_with(family, fit, nccl);
    if (error < least) {
      least = error;
      best = fit.tree_below;
    }
  }
  return best;
}

/// Without points at or above the change of law there is no ring to speak of.
Bytes with_points_above(const Family& family, Bytes tree_below) {
  const bool every = std::ranges::all_of(family, [&](const auto* curve) {
    return CurveSection{curve, tree_below}.first().has_value();
  });
  return every ? tree_below : Bytes{};
}

BytesPerSecond fastest_of(const Family& family) {
  BytesPerSecond fastest{};
  for (const CollectiveCurve* curve : family)
    for (const CurvePoint& point : curve->points)
      if (point.use == PointUse::Kept)
        fastest =
            std::max(fastest, point.size * bus_factor(curve->kind, curve->ranks) / point.time);
  return fastest;
}

CurveFit fit_family(const FamilyKey& key, const Family& family, std::optional<NodePath> nccl) {
  // Two rank counts or fewer do not tell where trees give way: see find_tree_below().
  CurveFit fit{.kind = key.first,
               .ranks_per_node = key.second,
               .tree_ranks = family.size() < 3 ? 0 : family.back()->ranks};
  mark_pipelined(family);
  fit_alpha_beta(family, fit);
  fit.tree_below = with_points_above(family, find_tree_below(family, fit, nccl));
  mark_outliers(family, fit.tree_below);
  fit_alpha_beta(family, fit);
  fit.fastest = fastest_of(family);
  return fit;
}

bool has_points(const Family& family) {
  return std::ranges::any_of(
      family, [](const auto* curve) { return CurveSection{curve}.first().has_value(); });
}

void keep_all(MeasuredCollectives& measured) {
  for (CollectiveCurve& curve : measured.curves)
    for (CurvePoint& point : curve.points)
      point.use = PointUse::Kept;
}

}  // namespace

void fit_curves(MeasuredCollectives& measured) {
  keep_all(measured);
  measured.fits.clear();
  for (const auto& [key, family] : families_of(measured)) {
    const CurveFit fit = fit_family(key, family, measured.nccl);
    if (has_points(family))
      measured.fits.push_back(fit);
  }
}

}  // namespace stepcast
