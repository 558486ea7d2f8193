#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "models/schedule/plan.hpp"

namespace stepcast {

/// What tells apart collectives that move over different links; they may differ in size, but where
/// that decides between rings and trees (the last: else 0).
using Pattern =
    std::tuple<TeamId, CollectiveKind, Algorithm, std::uint32_t, std::vector<double>, double>;

/// The patterns of a plan, each with the largest of its collectives.
std::map<Pattern, Collective> patterns_of(const Plan& plan);

}  // namespace stepcast
