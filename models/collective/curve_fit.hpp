#pragma once

#include "models/network/measured_collectives.hpp"

namespace stepcast {

/// Finds what the curves have in common and which points to leave out: sets every point's use and
/// `fits`, forgetting what an earlier call set. Curves must be well formed (sizes ascending, sizes
/// and times above zero, two or more ranks, equally many a node).
///
/// Left out are
///  - broadcasts and reduces so small that their time does not grow with the ranks although the
///    rounds do: the benchmark's repetitions overlapped, so that the time is a rate;
///  - outliers: points in a row whose ring steps take more than 1.35 times (or less than 1/1.35 of)
///    the median of three or more rank counts at the same chunk, if one of them is as far off what
///    its neighbours on its own curve expect (a smooth end of a log stays, whatever other rank
///    counts say); and a bus bandwidth below half of what the same curve had reached at a smaller
///    size.
/// An all-reduce changes from tree to ring at the size that predicts each of three or more rank
/// counts best from the others; with fewer counts at 64 KiB (assumed).
void fit_curves(MeasuredCollectives& measured);

}  // namespace stepcast
