#include "models/collective/algorithms.hpp"

// Sends between neighbours: member 2i+1 of the group sends the whole buffer to member 2i. A last
// member without a neighbour does nothing. All messages move at the same time: exact where their
// start-ups are equal, else an upper bound.

namespace stepcast::direct {

StepPlan step_plan(const Collective& collective, const Group& group) {
  StepPlan plan{.rounds = {Round{}}, .barrier = true};
  for (std::uint32_t odd = 1; odd < group.size(); odd += 2)
    plan.rounds.front().messages.push_back(
        {group.ranks[odd], group.ranks[odd - 1], collective.size});
  return plan;
}

}  // namespace stepcast::direct
