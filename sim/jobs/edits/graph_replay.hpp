#pragma once

#include "sim/jobs/edits/editable_step.hpp"

namespace stepcast {

/// When each node of a recorded graph runs: as soon as all that it waits for has ended and its
/// delay is over, in order of its stream, in a meeting with the last of it. One pass over nodes and
/// edges, behind one that finds their order. Throws InputError where something waits for itself.
std::vector<NodeTimes> replay_graph(const WorkGraph& graph);

/// The mean over the graphs of their last ends; with streams by priority as replay_by_priority()
/// has them.
TimedStep replay_graphs(const std::vector<WorkGraph>& graphs);

}  // namespace stepcast
