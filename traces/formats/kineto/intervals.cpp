#include "traces/formats/kineto/intervals.hpp"

#include <algorithm>

namespace stepcast {

std::vector<Interval> united(const std::vector<Interval>& intervals) {
  std::vector<Interval> merged;
  for (const auto& [begin, end] : intervals) {
    if (merged.empty() || begin > merged.back().second)
      merged.emplace_back(begin, end);
    else
      merged.back().second = std::max(merged.back().second, end);
  }
  return merged;
}

Seconds length_of(const std::vector<Interval>& merged) {
  Seconds length{};
  for (const auto& [begin, end] : merged)
    length += end - begin;
  return length;
}

Seconds common_length(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  Seconds length{};
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const Seconds begin = std::max(a[i].first, b[j].first);
    const Seconds end = std::min(a[i].second, b[j].second);
    if (end > begin)
      length += end - begin;
    a[i].second < b[j].second ? ++i : ++j;
  }
  return length;
}

Seconds covered_length(const std::vector<Interval>& merged, const Interval& within) {
  Seconds length{};
  for (auto at = std::ranges::upper_bound(merged, within.first, {}, &Interval::second);
       at != merged.end() && at->first < within.second; ++at)
    length += std::min(at->second, within.second) - std::max(at->first, within.first);
  return length;
}

}  // namespace stepcast
