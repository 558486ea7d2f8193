#pragma once

#include <vector>

#include "models/network/measured_collectives.hpp"

namespace stepcast {

/// Curves of one kind and scope, by ascending ranks.
using CurveFamilyView = std::vector<CollectiveCurve*>;

/// How far off a time is too far: twice the worst scatter of the healthy curves here.
inline constexpr double kOutlier = 1.35;

/// Marks outliers among the kept points: see fit_curves(). `ring_from`: smaller sizes go through a
/// tree and are compared with nothing.
void mark_outliers(const CurveFamilyView& family, Bytes ring_from);

}  // namespace stepcast
