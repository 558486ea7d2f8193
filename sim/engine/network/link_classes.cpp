#include "sim/engine/network/link_classes.hpp"

#include <algorithm>
#include <tuple>

namespace stepcast {

std::vector<std::uint32_t> LinkClasses::refine(std::span<const LinkShare> shares) {
  std::vector<LinkShare> sorted(shares.begin(), shares.end());
  const auto key = [&](const LinkShare& share) { return std::tuple(of_[share.link], share.part); };
  std::ranges::sort(sorted, [&](const LinkShare& a, const LinkShare& b) {
    return std::tuple(key(a), a.link) < std::tuple(key(b), b.link);
  });
  std::vector<std::uint32_t> split_from;
  for (std::size_t first = 0, end = 0; first < sorted.size(); first = end) {
    const auto [old, part] = key(sorted[first]);
    while (end < sorted.size() && key(sorted[end]) == std::tuple(old, part))
      ++end;
    if (end - first == sizes_[old])
      continue;
    for (std::size_t i = first; i < end; ++i)
      of_[sorted[i].link] = static_cast<std::uint32_t>(sizes_.size());
    sizes_[old] -= end - first;
    sizes_.push_back(end - first);
    split_from.push_back(old);
  }
  return split_from;
}

}  // namespace stepcast
