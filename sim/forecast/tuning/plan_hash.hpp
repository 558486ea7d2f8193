#pragma once

#include <cstdint>

#include "models/schedule/plan.hpp"

namespace stepcast {

/// A number that two plans share if they describe the same work in the same order under the same
/// dispatch rules, whatever its labels and notes say. FNV-1a over every field of its tasks, edges,
/// streams, collectives and groups: plans that differ share it with a probability of 2^-64.
std::uint64_t hash_of(const Plan& plan);

}  // namespace stepcast
