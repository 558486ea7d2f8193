#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "traces/formats/rank_record.hpp"

namespace stepcast {

/// Collectives of two ranks that are one and the same: places in the two lists.
using CollectivePairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// By the number that PyTorch gives them, else the n-th of a group, kind and size in a step, where
/// both ranks recorded as many. Where events are missing some are wrong.
CollectivePairs pair_by_sequence(std::span<const RankCollective> a,
                                 std::span<const RankCollective> b);

/// Of collectives that may be the same. What a rank sends to all others may differ by rank.
using CollectiveClass =
    std::tuple<std::vector<std::uint32_t>, CollectiveKind, Bytes, std::optional<std::uint32_t>>;

inline CollectiveClass class_of(const RankCollective& done) {
  return {done.group, done.kind, done.kind == CollectiveKind::AllToAll ? Bytes{} : done.size,
          done.sender};
}

using ByClass = std::map<CollectiveClass, std::vector<std::uint32_t>>;

inline ByClass by_class(std::span<const RankCollective> all) {
  ByClass classes;
  for (std::uint32_t i = 0; i < all.size(); ++i)
    classes[class_of(all[i])].push_back(i);
  return classes;
}

/// Calls `use` with the places of each class that both have.
template <typename Use>
void for_common_classes(std::span<const RankCollective> a, std::span<const RankCollective> b,
                        Use use) {
  const ByClass others = by_class(b);
  for (const auto& [key, mine] : by_class(a))
    if (const auto found = others.find(key); found != others.end())
      use(mine, found->second);
}

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
