#pragma once

#include "sim/jobs/edits/editable_step.hpp"

namespace stepcast {

/// When each node of a recorded graph runs: as soon as all that it waits for has ended and its
/// delay is over, in order of its stream, in a meeting with the last of it. One pass over nodes and
/// edges, behind one that finds their order. Throws InputError where something waits for itself.
std::vector<Interval> replay_graph(const WorkGraph& graph);

/// Whether a recorded graph has streams that go by priority.
bool goes_by_priority(const WorkGraph& graph);

/// When each node of such a graph runs: as replay_graph() has it, but that a stream by priority
/// begins, whenever it is free, the first in order of priority of those that are ready; what
/// several ranks take part in when all of them are ready and have such streams free. Event by
/// event, in order of time. Throws InputError where something waits for itself.
std::vector<Interval> replay_by_priority(const WorkGraph& graph);

/// The mean over the graphs of their last ends; with streams by priority as replay_by_priority()
/// has them.
TimedStep replay_graphs(const std::vector<WorkGraph>& graphs);

}  // namespace stepcast
