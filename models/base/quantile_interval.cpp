#include "models/base/quantile_interval.hpp"

#include <cmath>

#include "models/base/statistics.hpp"

// X(k), the k-th smallest of n, is below the q-quantile if at least k values are: a binomial count
// of n and q. So X(l) is below it but for a chance of P(count < l) and X(u) above it but for
// P(count
// >= u); l is the largest and u the smallest that leave 2.5 % on their side. O(n).

namespace stepcast {
namespace {

constexpr double kTail = 0.025;

double log_probability(std::size_t count, std::size_t successes, double share) {
  const auto n = static_cast<double>(count);
  const auto k = static_cast<double>(successes);
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(share) +
         (n - k) * std::log1p(-share);
}

}  // namespace

QuantileRanks quantile_ranks(std::size_t count, double share) {
  QuantileRanks ranks;
  double below = 0;  // P(count of values below < k)
  for (std::size_t k = 0; k <= count; ++k) {
    if (k > 0 && below <= kTail)
      ranks.low = k - 1;
    if (k > 0 && 1 - below <= kTail) {
      ranks.high = k - 1;
      return ranks;
    }
    below += std::exp(log_probability(count, k, share));
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
