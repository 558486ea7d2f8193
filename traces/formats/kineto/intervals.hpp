#pragma once

#include <utility>
#include <vector>

#include "models/base/units.hpp"

namespace stepcast {

using Interval = std::pair<Seconds, Seconds>;  ///< Begin and end.

/// The union of intervals that are in order of their begin: disjoint, in order.
std::vector<Interval> united(const std::vector<Interval>& intervals);

/// Of disjoint intervals.
Seconds length_of(const std::vector<Interval>& merged);

/// How long both of two lists of disjoint intervals in order cover.
Seconds common_length(const std::vector<Interval>& a, const std::vector<Interval>& b);

/// How much of one interval a list of disjoint intervals in order covers.
Seconds covered_length(const std::vector<Interval>& merged, const Interval& within);

}  // namespace stepcast
