#pragma once

#include <span>
#include <vector>

#include "traces/readers/rank_record.hpp"

namespace stepcast {

/// What to subtract from the times of each collective of `b` for the clock of `a`, though one of
/// the two is set anew on the way.
///
/// What may be the offset in a step is `usual`, and every difference of ends that at least three
/// pairs of equal sequence share. That path through the steps is taken under which most collectives
/// end with one of the same step, where a change costs as much as one and a half of them: events
/// that are missing make wrong pairs, but never more than right ones.
std::vector<Seconds> offsets_along(std::span<const RankCollective> a,
                                   std::span<const RankCollective> b, Seconds usual);

}  // namespace stepcast
