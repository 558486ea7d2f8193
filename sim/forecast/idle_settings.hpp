#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace stepcast {

/// Says whether a forecast stays the same without these settings, which are numbered.
using SameWithout = std::function<bool(const std::vector<std::size_t>& left_out)>;

/// Returns the settings among `count` that change nothing, in order. What is said of each holds for
/// all of them together: without all that are returned the forecast is the same, and none of them
/// could stand in for one that is not returned. Asks `count` times; where several change nothing
/// one by one but something together, as two stragglers of one factor do, O(count^2) times at most.
std::vector<std::size_t> idle_settings(std::size_t count, const SameWithout& same_without);

}  // namespace stepcast
