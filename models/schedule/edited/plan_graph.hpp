#pragma once

#include <string>
#include <vector>

#include "models/graph/edit/work_graph.hpp"
#include "models/schedule/plan.hpp"

namespace stepcast {

/// A plan as a graph that can be edited. Tasks are of the kind of their phase, communications of
/// that of their collective ("all-reduce") and of the layer whose pass they wait for. `layers`:
/// names, by layer.
///
/// `stage_of_rank`: of a pipeline, whose ranks differ by their stage alone; empty: all are alike. A
/// task has a node for each stage that has ranks in its team, and those of a communication meet:
/// as ranks of a recorded job do.
WorkGraph graph_of(const Plan& plan, const std::vector<std::string>& layers,
                   const std::vector<std::uint32_t>& stage_of_rank = {});

struct EditedPlan {
  Plan plan;
  std::vector<TaskId> tasks;  ///< By node of the graph.
};

/// The plan as its edited graph says. Times of communications follow from their sizes, and so do
/// overheads where those of the plan do (a server's sums). What a rank holds is as before. Throws
/// InputError if the graph has delays, or if stages would wait for each other.
EditedPlan edited_plan(const Plan& plan, const WorkGraph& graph);

}  // namespace stepcast
