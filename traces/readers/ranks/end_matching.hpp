#pragma once

#include <optional>
#include <span>
#include <vector>

#include "traces/readers/rank_record.hpp"
#include "traces/readers/ranks/sequence_pairs.hpp"

namespace stepcast {

/// How far apart the ends of one collective may be on two ranks, their clocks' offset apart: half
/// of the time that it took on either, within 50 us and 1 ms. Both ranks were in its last round, so
/// more than that is another collective.
Seconds end_tolerance(const RankCollective& a, const RankCollective& b);

/// What to add to the times of `b` for the first rank's clock: by collectives that both recorded.
///
/// These are first taken by their sequence (pair_by_sequence()). The offset is the median
/// difference of their ends, if most lie within their tolerance of it. Else events are missing on
/// either side: then it is the difference of ends that at least three compatible pairs share, of
/// several that nearly as many share, as where steps repeat, the one that most
/// of equal sequence have, then the one nearest to zero, as clocks of one job mostly agree. None:
/// the ends scatter.
std::optional<Seconds> find_clock_offset(std::span<const RankCollective> a,
                                         std::span<const RankCollective> b);

/// The collectives of `a` and `b` that end together, where times of each of `b` are so much later:
/// those of equal sequence first, the others by the nearest end. No pair's ends lie further apart
/// than tolerated.
CollectivePairs pair_by_ends(std::span<const RankCollective> a, std::span<const RankCollective> b,
                             const std::vector<Seconds>& offsets);

}  // namespace stepcast
