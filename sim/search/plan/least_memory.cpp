// A bound holds the memory of a candidate that cuts the model for few micro-batches, which more do
// not lessen: in its order all behind the first that is above the least found need not be looked
// at. Of those that do not cut the model the bound holds none.

#include "sim/search/plan/least_memory.hpp"

#include <algorithm>
#include <map>
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

std::vector<std::size_t> by_bound(const PlanSpace& space, const std::vector<PlanBound>& bounds) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < bounds.size(); ++i)
    if (bounds[i].refusal.empty() && is_of_smallest_passes(space, i))
      order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return bounds[i].memory; });
  return order;
}

}  // namespace

std::vector<std::size_t> of_least_memory(const PlanSpace& space,
                                         const std::vector<PlanBound>& bounds, std::size_t count) {
  std::multimap<Bytes, std::size_t> least;
  for (const std::size_t i : by_bound(space, bounds)) {
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
  std::vector<std::size_t> candidates;
  for (const auto& [memory, candidate] : least)
    candidates.push_back(candidate);
  return candidates;
}

}  // namespace stepcast
