#include "models/collective/algorithms.hpp"

// Sends along a chain: every member of the group sends the whole buffer to the next one; of a pair,
// the first to the second. All messages move at the same time: exact where their start-ups are
// equal, else an upper bound.

namespace stepcast::direct {

StepPlan step_plan(const Collective& collective, const Group& group) {
  StepPlan plan{.rounds = {Round{}}, .barrier = true};
  for (std::uint32_t i = 0; i + 1 < group.size(); ++i)
    plan.rounds.front().messages.push_back({group.ranks[i], group.ranks[i + 1], collective.size});
  return plan;
}

}  // namespace stepcast::direct
