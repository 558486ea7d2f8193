#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "traces/readers/rank_record.hpp"

namespace stepcast {

/// Collectives of two ranks that are one and the same: places in the two lists.
using CollectivePairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// By the number that PyTorch gives them, else the n-th of a group, kind and size in a step, where
/// both ranks recorded as many. Where events are missing some are wrong.
CollectivePairs pair_by_sequence(std::span<const RankCollective> a,
                                 std::span<const RankCollective> b);

}  // namespace stepcast
