#pragma once

#include "sim/jobs/edits/editable_step.hpp"

namespace stepcast {

/// Whether a recorded graph has streams that go by priority.
bool goes_by_priority(const WorkGraph& graph);

/// When each node of such a graph runs: as replay_graph() has it, but that a stream by priority
/// begins, whenever it is free, the first in order of priority of those that are ready; what
/// several ranks take part in when all of them are ready and have such streams free. Event by
/// event, in order of time. Throws InputError where something waits for itself.
std::vector<NodeTimes> replay_by_priority(const WorkGraph& graph);

}  // namespace stepcast
