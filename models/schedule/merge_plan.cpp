#include "models/schedule/merge_plan.hpp"

#include <algorithm>

namespace stepcast {
namespace {

constexpr std::uint64_t kAlwaysMerged = 8192;  // elements; fewer join the next gradient

Seconds time_of(const LinearCost& cost, Bytes size) {
  return cost.bandwidth > BytesPerSecond{} ? cost.startup + size / cost.bandwidth : cost.startup;
}

// `start` and `time` are those of the communication of the open group.
bool pays(MergeRule rule, Seconds start, Seconds time, Seconds next_ready, Seconds startup) {
  if (next_ready >= start + time)
    return false;
  if (start > next_ready)
    return true;
  return rule == MergeRule::StartupSaved && next_ready - start < startup;
}

}  // namespace

LinearCost linear_cost_of(Collective collective, const Group& group, const Cluster& cluster) {
  constexpr Bytes kSmall{1024};
  constexpr Bytes kLarge{1 << 30};
  collective.size = kSmall;
  const Seconds small = cost_of(collective, group, cluster);
  collective.size = kLarge;
  const Seconds slope = (cost_of(collective, group, cluster) - small) / (kLarge - kSmall).value;
  if (slope <= Seconds{})
    return {.startup = cluster.software.collective_launch + small};
  return {.startup = cluster.software.collective_launch + small - slope * kSmall.value,
          .bandwidth = BytesPerSecond{1 / slope.value}};
}

std::vector<std::size_t> merged_groups(std::span<const Mergeable> gradients, const LinearCost& cost,
                                       MergeRule rule) {
  std::vector<std::size_t> groups;
  std::size_t members = 0;  // of the open group
  std::uint64_t elements = 0;
  Bytes size{};
  Seconds free{};  // when the network has done the groups before
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    ++members;
    elements += gradients[i].elements;
    size += gradients[i].size;
    const Seconds start = std::max(free, gradients[i].ready);
    const Seconds time = time_of(cost, size);
    const bool has_next = i + 1 < gradients.size();
    if (has_next && (elements < kAlwaysMerged ||
                     pays(rule, start, time, gradients[i + 1].ready, cost.startup))) {
      free = start;  // a merged group starts no earlier than it would have alone
      continue;
    }
    groups.push_back(members);
    free = start + time;
    members = 0;
    elements = 0;
    size = {};
  }
  return groups;
}

}  // namespace stepcast
