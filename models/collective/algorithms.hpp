#pragma once
// The algorithms behind collective.hpp, one namespace and one file each. All functions expect a
// kind that the algorithm implements, two or more ranks, a positive size and a root inside the
// group.

#include <vector>

#include "models/collective/collective.hpp"

namespace stepcast {

/// Whether one member has what the others get, or gets what they have: broadcast and reduce.
bool is_rooted(CollectiveKind kind);

namespace ring {
Seconds total_cost(const Collective& collective, const Group& group, const Cluster& cluster);
std::vector<Phase> flow_phases(const Collective& collective, const Group& group,
                               const Cluster& cluster);
StepPlan step_plan(const Collective& collective, const Group& group);

/// Rounds of a ring over `ranks`: P-1, twice that for an all-reduce.
std::uint32_t round_count(CollectiveKind kind, std::uint32_t ranks);
/// A message from every member to the next, the last one's to the first.
std::vector<Message> edges_of(const Group& group, Bytes size);

/// All-gather of unequal parts (an all-gather-v): member i's part goes once around the ring.
/// The same preconditions, and shares.
Seconds total_cost_of_parts(const Collective& collective, const Group& group,
                            const Cluster& cluster);
std::vector<Phase> flow_phases_of_parts(const Collective& collective, const Group& group,
                                        const Cluster& cluster);
StepPlan step_plan_of_parts(const Collective& collective, const Group& group);
}  // namespace ring

namespace hierarchical {
Seconds total_cost(const Collective& collective, const Group& group, const Cluster& cluster);
std::vector<Phase> flow_phases(const Collective& collective, const Group& group,
                               const Cluster& cluster);
StepPlan step_plan(const Collective& collective, const Group& group, const Cluster& cluster);
}  // namespace hierarchical

namespace tree {
Seconds total_cost(const Collective& collective, const Group& group, const Cluster& cluster);
std::vector<Phase> flow_phases(const Collective& collective, const Group& group,
                               const Cluster& cluster);
StepPlan step_plan(const Collective& collective, const Group& group, const Cluster& cluster);
}  // namespace tree

namespace halving_doubling {
Seconds total_cost(const Collective& collective, const Group& group, const Cluster& cluster);
std::vector<Phase> flow_phases(const Collective& collective, const Group& group,
                               const Cluster& cluster);
StepPlan step_plan(const Collective& collective, const Group& group);
Bytes sent_per_rank(const Collective& collective, std::uint32_t ranks);
}  // namespace halving_doubling

namespace pairwise {
Seconds total_cost(const Collective& collective, const Group& group, const Cluster& cluster);
std::vector<Phase> flow_phases(const Collective& collective, const Group& group,
                               const Cluster& cluster);
StepPlan step_plan(const Collective& collective, const Group& group);
}  // namespace pairwise

namespace chain {
Seconds total_cost(const Collective& collective, const Group& group, const Cluster& cluster);
std::vector<Phase> flow_phases(const Collective& collective, const Group& group,
                               const Cluster& cluster);
StepPlan step_plan(const Collective& collective, const Group& group);
}  // namespace chain

namespace star {
StepPlan step_plan(const Collective& collective, const Group& group, const Cluster& cluster);
}  // namespace star

namespace binomial {
StepPlan step_plan(const Collective& collective, const Group& group);
}  // namespace binomial

namespace direct {
StepPlan step_plan(const Collective& collective, const Group& group);
}  // namespace direct

}  // namespace stepcast
