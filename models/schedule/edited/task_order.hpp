#pragma once

#include <vector>

#include "models/graph/edit/work_graph.hpp"

namespace stepcast {

/// Which task of a plan each node of its graph is.
struct TaskOrder {
  std::vector<TaskId> task_of;         ///< By node.
  std::vector<std::uint32_t> node_of;  ///< By task, the first of its nodes.
};

/// Nodes are tasks, one each; those of a communication between stages are one. Every rank does what
/// is on a stream in the order of its nodes, and tasks have one order on all ranks: that of their
/// first nodes, as far as it may be. Throws InputError where there is none.
TaskOrder task_order(const WorkGraph& graph);

}  // namespace stepcast
