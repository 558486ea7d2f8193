#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/jobs/diagnose/diagnosis.hpp"

namespace stepcast {

/// Ranks that compute longer than all others, as those of a slow node do: at most half of them,
/// where the largest gap between what ranks compute, over the mean of their stage, is above them.
/// It is 3 % of the mean at least, and half of what lies between the quickest and the slowest rank.
/// None where no gap is so wide. `diagnosis` needs its uses.
std::vector<std::uint32_t> ranks_apart(const Diagnosis& diagnosis);

/// "rank 3", "ranks 2, 5", "node b (ranks 2, 3)" where these are all of a host that is known.
std::string in_words(const Diagnosis& diagnosis, const std::vector<std::uint32_t>& ranks);

}  // namespace stepcast
