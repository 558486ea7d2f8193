#include "models/collective/algorithms.hpp"

// Sends from the first half of the group to the second: member i to member i + n/2, so of a pair
// from the first to the second. A last member of an odd group does nothing. All messages move at
// the same time: exact where their start-ups are equal, else an upper bound.

namespace stepcast::direct {

StepPlan step_plan(const Collective& collective, const Group& group) {
  StepPlan plan{.rounds = {Round{}}, .barrier = true};
  const std::uint32_t half = group.size() / 2;
  for (std::uint32_t i = 0; i < half; ++i)
    plan.rounds.front().messages.push_back(
        {group.ranks[i], group.ranks[half + i], collective.size});
  return plan;
}

}  // namespace stepcast::direct
