// A bound holds the memory of a candidate that cuts the model for few micro-batches, which more do
// not lessen: in its order all behind the first that is above the least found need not be looked
// at. Of those that do not cut the model the bound holds none.

#include "sim/search/plan/least_memory.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "models/base/error.hpp"
#include "sim/workers/stop.hpp"

namespace stepcast {
namespace {

/// The smallest passes of each site, schedule and listed options hold least.
bool is_of_smallest_passes(const PlanSpace& space, std::size_t candidate) {
  const PlanCandidate& each = space.candidates[candidate];
  if (candidate + 1 == space.candidates.size() || each.accumulation == 0)
    return true;
  const PlanCandidate& next = space.candidates[candidate + 1];
  return std::tuple(next.site, next.schedule, next.listed) !=
             std::tuple(each.site, each.schedule, each.listed) ||
         next.accumulation <= each.accumulation;
}

/// Where candidates may lie: on one site, or on any.
using Site = std::optional<std::uint32_t>;

std::vector<std::size_t> by_bound(const PlanSpace& space, const std::vector<PlanBound>& bounds,
                                  Site site) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < bounds.size(); ++i)
    if (bounds[i].refusal.empty() &&
        space.candidates[i].site == site.value_or(space.candidates[i].site) &&
        is_of_smallest_passes(space, i))
      order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return bounds[i].memory; });
  return order;
}

std::multimap<Bytes, std::size_t> least_of(const PlanSpace& space,
                                           const std::vector<PlanBound>& bounds, std::size_t count,
                                           Site site = std::nullopt) {
  std::multimap<Bytes, std::size_t> least;
  for (const std::size_t i : by_bound(space, bounds, site)) {
    const bool is_full = least.size() == count;
    if (stop_signal() != 0 || (is_full && bounds[i].memory > std::prev(least.end())->first))
      break;
    try {
      least.emplace(memory_needed(space, trial_of(space, space.candidates[i])), i);
    } catch (const InputError&) {
      continue;  // refused where it is built
    }
    if (is_full)
      least.erase(std::prev(least.end()));
  }
  return least;
}

}  // namespace

std::vector<std::size_t> of_least_memory(const PlanSpace& space,
                                         const std::vector<PlanBound>& bounds, std::size_t count) {
  std::vector<std::size_t> candidates;
  for (const auto& [memory, candidate] : least_of(space, bounds, count))
    candidates.push_back(candidate);
  return candidates;
}

std::vector<std::size_t> fewest_gpus_that_fit(const PlanSpace& space,
                                              const std::vector<PlanBound>& bounds) {
  std::map<std::string, std::map<std::uint32_t, std::uint32_t>> sites;  // by cluster and GPUs
  for (std::uint32_t site = 0; site < space.sites.size(); ++site)
    sites[space.sites[site].typed].emplace(space.sites[site].cluster.ranks(), site);
  std::vector<std::size_t> fewest;
  for (const auto& [cluster, sizes] : sites)
    for (const auto& [gpus, site] : sizes) {
      const Bytes has = space.sites[site].memory;
      if (sizes.size() < 2 || has == Bytes{} || stop_signal() != 0)
        break;
      const auto least = least_of(space, bounds, 1, site);
      if (!least.empty() && least.begin()->first <= has) {
        fewest.push_back(least.begin()->second);
        break;
      }
    }
  return fewest;
}

}  // namespace stepcast
