#include "models/schedule/kfac/fusion.hpp"

#include <algorithm>

namespace stepcast::kfac {
namespace {

/// The rule: tensor ready, its group free to start at `start` and done at `end`, the next tensor
/// ready at `next`.
bool merges(Seconds start, Seconds end, Seconds next, Seconds startup) {
  if (next >= end)
    return false;
  return start > next || next - start < startup;
}

}  // namespace

std::vector<std::uint32_t> fuse_optimally(std::span<const FactorReady> tensors,
                                          const LinearCost& cost) {
  std::vector<std::uint32_t> groups;
  std::uint32_t group = 0;
  Seconds ready{}, channel_free{};
  Bytes size{};
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    groups.push_back(group);
    ready += tensors[i].before;
    size += tensors[i].size;
    if (i + 1 == tensors.size())
      break;
    const Seconds start = std::max(channel_free, ready);
    const Seconds end = start + cost.startup + size / cost.bandwidth;
    if (merges(start, end, ready + tensors[i + 1].before, cost.startup))
      continue;
    ++group;
    size = {};
    channel_free = end;
  }
  return groups;
}

}  // namespace stepcast::kfac
