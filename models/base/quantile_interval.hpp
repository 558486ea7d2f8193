#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "models/base/fields.hpp"
#include "models/base/statistics.hpp"

namespace stepcast {

/// Between which of n sorted values (from 0) a quantile lies with 95 % confidence, whatever the
/// distribution: the order statistics of a binomial count (David and Nagaraja, Order Statistics,
/// 7.1). None where a side has too few values: the median needs 6, the 95th percentile 72.
struct QuantileRanks {
  std::optional<std::size_t> low;
  std::optional<std::size_t> high;
};
QuantileRanks quantile_ranks(std::size_t count, double share);

/// A quantile of a sample and between which values it lies with 95 % confidence; 0: open, for want
/// of values.
template <class Value>
struct QuantileEstimate {
  Value value{};
  Value low{};
  Value high{};
};

template <class Value>
auto fields_of(QuantileEstimate<Value>& estimate) {
  auto& [value, low, high] = estimate;
  return std::tie(value, low, high);
}
template <class Value>
auto fields_of(const QuantileEstimate<Value>& estimate) {
  auto& [value, low, high] = estimate;
  return std::tie(value, low, high);
}

/// Returns the quantile `share` (0 to 1) of values in ascending order, with its interval.
template <class Value>
QuantileEstimate<Value> estimate_quantile(const std::vector<double>& sorted, double share) {
  const auto [low, high] = quantile_ranks(sorted.size(), share);
  return {.value = Value{quantile_of_sorted(sorted, share)},
          .low = Value{low ? sorted[*low] : 0},
          .high = Value{high ? sorted[*high] : 0}};
}

/// Half of the interval over the value; none where the interval has an open side.
std::optional<double> half_width(const std::vector<double>& sorted, double share);

}  // namespace stepcast
