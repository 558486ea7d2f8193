#pragma once

#include <span>
#include <vector>

#include "models/collective/collective.hpp"

namespace stepcast {

/// What rounds cost that wait for each other: the sum of their times, each as long as its busiest
/// link makes it.
Seconds cost_of_rounds(std::span<const Round> rounds, const Cluster& cluster);

/// A phase for each round.
std::vector<Phase> phases_of_rounds(std::vector<Round> rounds, const Cluster& cluster);

}  // namespace stepcast
