#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace stepcast {

/// Between which of n sorted values (from 0) a quantile lies with 95 % confidence, whatever the
/// distribution: the order statistics of a binomial count (David and Nagaraja, Order Statistics,
/// 7.1). None where a side has too few values: the median needs 6, the 95th percentile 72.
struct QuantileRanks {
  std::optional<std::size_t> low;
  std::optional<std::size_t> high;
};
QuantileRanks quantile_ranks(std::size_t count, double share);

/// Half of the interval over the value; none where the interval has an open side.
std::optional<double> half_width(const std::vector<double>& sorted, double share);

}  // namespace stepcast
