#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace stepcast {

/// The size of an error that one more case like those of these errors exceeds with a probability of
/// a tenth at most: an order statistic, the largest below ten errors, and 2 % at least.
/// Precondition: there are errors.
inline double error_bound(std::vector<double> errors) {
  constexpr double kShare = 0.9;
  constexpr double kLeast = 0.02;
  for (double& error : errors)
    error = std::abs(error);
  std::ranges::sort(errors);
  const double count = static_cast<double>(errors.size());
  const double place = std::min(std::ceil(kShare * (count + 1)), count);
  return std::max(kLeast, errors[static_cast<std::size_t>(place) - 1]);
}

/// A step takes some time: errors are taken to be at most so large.
inline constexpr double kMostError = 0.9;
/// What errors are widened by for cases of another device or machine: chosen, not fitted.
inline constexpr double kOtherDevices = 1.5;
/// And for each doubling of GPUs beyond the largest case.
inline constexpr double kDoubling = 1.25;

}  // namespace stepcast
