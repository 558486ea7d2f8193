#include "traces/formats/nccl_tests/rank_range.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/collective/algorithms.hpp"
#include "models/collective/collective.hpp"
#include "traces/formats/log_text.hpp"

namespace stepcast {
namespace {

constexpr std::uint32_t kMostRanks = 1U << 20U;

/// Ranks at which the factor of `kind` is `factor`; it rises with the ranks to a limit.
double ranks_at(CollectiveKind kind, double factor) {
  const double limit = kind == CollectiveKind::AllReduce ? 2 : 1;
  return factor < limit ? limit / (limit - factor) : std::numeric_limits<double>::infinity();
}

}  // namespace

std::optional<PrintedBandwidth> find_bandwidth(std::string_view word) {
  const auto value = find_number(word);
  if (!value)
    return std::nullopt;
  const std::string_view mantissa = word.substr(0, word.find_first_of("eE"));
  const std::size_t point = mantissa.find('.');
  const std::size_t decimals = point == std::string_view::npos ? 0 : mantissa.size() - point - 1;
  const auto exponent = mantissa.size() == word.size()
                            ? std::optional(0.0)
                            : find_number(word.substr(mantissa.size() + 1 +
                                                      (word[mantissa.size() + 1] == '+' ? 1 : 0)));
  // The last digit may be rounded to even or cut by another printf: a hair more than half a unit.
  return PrintedBandwidth{
      *value, 0.51 * std::pow(10, exponent.value_or(0) - static_cast<double>(decimals))};
}

bool RankRange::add(const PrintedBandwidth& algorithm, const PrintedBandwidth& bus) {
  if (!(algorithm.value > algorithm.rounding))
    return true;
  const double least = (bus.value - bus.rounding) / (algorithm.value + algorithm.rounding);
  const double most = (bus.value + bus.rounding) / (algorithm.value - algorithm.rounding);
  if (least > most_ || most < least_)
    return false;
  least_ = std::max(least_, least);
  most_ = std::min(most_, most);
  return true;
}

RankRange::Bounds RankRange::bounds_of(CollectiveKind kind) const {
  constexpr double kRounding = 1e-9;
  const double fewest = std::ceil(ranks_at(kind, least_) * (1 - kRounding));
  const double most = std::floor(ranks_at(kind, most_) * (1 + kRounding));
  return {static_cast<std::uint32_t>(std::clamp<double>(fewest, 2, kMostRanks + 1)),
          static_cast<std::uint32_t>(std::clamp<double>(most, 0, kMostRanks))};
}

bool RankRange::allows(CollectiveKind kind, std::uint32_t ranks) const {
  if (is_rooted(kind))
    return least_ <= 1 && most_ >= 1;
  const auto [fewest, most] = bounds_of(kind);
  return ranks == 0 ? fewest <= most : ranks >= fewest && ranks <= most;
}

std::optional<std::uint32_t> RankRange::ranks_of(CollectiveKind kind) const {
  const auto [fewest, most] = bounds_of(kind);
  return !is_rooted(kind) && fewest == most ? std::optional(fewest) : std::nullopt;
}

std::string RankRange::text() const {
  return std::isfinite(most_) ? fmt::format("{:.4g}", (least_ + most_) / 2) : "unknown";
}

}  // namespace stepcast
