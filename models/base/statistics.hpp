#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace stepcast {

/// The value below which a share (0 to 1) of the values lies; between two values, the point on the
/// line between them. Precondition: `sorted` is ascending and not empty.
template <class Value>
Value quantile_of_sorted(const std::vector<Value>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  const double part = place - static_cast<double>(low);
  return sorted[low] * (1 - part) + sorted[high] * part;
}

/// The middle value, or the mean of the two in the middle; linear. Precondition: not empty.
template <class Value>
Value median_of(std::vector<Value> values) {
  const auto low = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, low);
  if (values.size() % 2 == 1)
    return *low;
  return quantile_of_sorted<Value>({*low, *std::min_element(low + 1, values.end())}, 0.5);
}

/// Sizes of errors, whatever their sign.
struct ErrorSummary {
  std::size_t cases = 0;
  double median = 0;
  double worst = 0;
};

/// Of signed errors; all zero if there are none.
inline ErrorSummary summary_of(std::vector<double> errors) {
  if (errors.empty())
    return {};
  for (double& error : errors)
    error = std::abs(error);
  std::ranges::sort(errors);
  return {
      .cases = errors.size(), .median = quantile_of_sorted(errors, 0.5), .worst = errors.back()};
}

}  // namespace stepcast
