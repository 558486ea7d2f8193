// Strategies that look at no earlier trial, or only at the last ones.
#include <algorithm>
#include <random>

#include "sim/forecast/tuning/search.hpp"

namespace stepcast {
namespace {

/// Uniform in [0, 1). std::uniform_real_distribution differs between standard libraries.
double uniform(std::mt19937_64& generator) {
  return static_cast<double>(generator() >> 11U) * 0x1p-53;
}

}  // namespace

void search_grid(Search& search) {
  const SearchTask& task = search.task();
  const std::uint32_t steps = std::max(task.most_trials, 2U) - 1;
  for (std::uint32_t i = 0; i < task.most_trials; ++i)
    search.measure(task.range.at(static_cast<double>(i) / steps));
}

void search_random(Search& search) {
  const SearchTask& task = search.task();
  std::mt19937_64 generator(task.seed);
  // A count may have fewer values than there are trials: drawing ends.
  for (std::uint64_t drawn = 0; drawn < 100 * std::uint64_t{task.most_trials} && !search.spent();
       ++drawn)
    search.measure(task.range.at(uniform(generator)));
}

/// TopKA2A's rule: begin in the middle of the range, measure there and at the neighbours, the
/// middles of the two halves, and go on in the half whose middle is faster, until the range is a
/// hundredth of what it was or the trials are spent.
void search_binary(Search& search) {
  constexpr double kEpsilon = 0.01;
  const SearchRange& range = search.task().range;
  search.measure(range.at(0.5));
  for (double low = 0, high = 1; high - low > kEpsilon && !search.spent();) {
    const double middle = (low + high) / 2;
    const Seconds left = search.measure(range.at((low + middle) / 2));
    if (search.spent())
      return;
    const Seconds right = search.measure(range.at((middle + high) / 2));
    (left <= right ? high : low) = middle;
  }
}

}  // namespace stepcast
