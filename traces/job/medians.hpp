#pragma once

#include <utility>
#include <vector>

namespace stepcast {

/// The middle value, or the mean of the two in the middle; linear. Precondition: not empty.
double middle_of(std::vector<double> values);
/// The same; leaves the values in another order.
double middle_in_place(std::vector<double>& values);

/// The value up to which half of the weight lies; sorts the pairs of value and weight.
/// Precondition: not empty.
double weighted_median_of(std::vector<std::pair<double, double>>& values);

/// Theil and Sen's: the median slope between two points (x, y); of many points as many at equal
/// distance as make some 45,000 pairs. 0 for less than two.
double median_slope_of(const std::vector<std::pair<double, double>>& points);

}  // namespace stepcast
