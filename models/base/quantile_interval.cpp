#include "models/base/quantile_interval.hpp"

#include <boost/math/distributions/binomial.hpp>

// X(k), the k-th smallest of n, is below the q-quantile if at least k values are: a binomial count
// of n and q. So X(l) is below it but for a chance of P(count < l) and X(u) above it but for
// P(count >= u); l is the largest and u the smallest that leave 2.5 % on their side. O(n).

namespace stepcast {

QuantileRanks quantile_ranks(std::size_t count, double share) {
  constexpr double kTail = 0.025;
  const boost::math::binomial below(static_cast<double>(count), share);
  QuantileRanks ranks;
  for (std::size_t k = 0; k < count && !ranks.high; ++k) {
    const double least = cdf(below, static_cast<double>(k));  // P(count of values below <= k)
    if (least <= kTail)
      ranks.low = k;
    if (1 - least <= kTail)
      ranks.high = k;
  }
  return ranks;
}

std::optional<double> half_width(const std::vector<double>& sorted, double share) {
  const auto [low, high] = quantile_ranks(sorted.size(), share);
  if (!low || !high)
    return std::nullopt;
  return (sorted[*high] - sorted[*low]) / 2 / quantile_of_sorted(sorted, share);
}

}  // namespace stepcast
