#include "traces/formats/spread.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/base/statistics.hpp"
#include "models/base/text.hpp"

namespace stepcast {
namespace {

Seconds mean_of(const std::vector<Seconds>& times) {
  Seconds sum{};
  for (const Seconds time : times)
    sum += time;
  return sum / static_cast<double>(times.size());
}

// Of sorted times. Sums of the same numbers in another order differ by rounding only.
Seconds deviation_of(const std::vector<Seconds>& times, Seconds mean) {
  constexpr double kRounding = 1e-12;
  if (times.size() < 2 || times.back() - times.front() <= mean * kRounding)
    return {};
  double squares = 0;
  for (const Seconds time : times)
    squares += (time - mean).value * (time - mean).value;
  return Seconds{std::sqrt(squares / static_cast<double>(times.size() - 1))};
}

}  // namespace

Spread spread_of(std::vector<Seconds> times) {
  if (times.empty())
    return {};
  std::ranges::sort(times);
  Spread spread{.count = times.size(),
                .mean = mean_of(times),
                .smallest = times.front(),
                .largest = times.back()};
  spread.deviation = deviation_of(times, spread.mean);
  spread.median = median_of(std::move(times));
  return spread;
}

std::string describe(const Spread& spread) {
  if (spread.count < 2)
    return format_seconds(spread.mean);
  return fmt::format("{} (standard deviation {}, median {}, {} to {})", format_seconds(spread.mean),
                     format_seconds(spread.deviation), format_seconds(spread.median),
                     format_seconds(spread.smallest), format_seconds(spread.largest));
}

}  // namespace stepcast
