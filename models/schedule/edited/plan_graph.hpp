#pragma once

#include <string>
#include <vector>

#include "models/graph/edit/work_graph.hpp"
#include "models/schedule/plan.hpp"

namespace stepcast {

/// A plan as a graph that can be edited. Tasks are of the kind of their phase, communications of
/// that of their collective ("all-reduce") and of the layer whose pass they wait for. `layers`:
/// names, by layer.
WorkGraph graph_of(const Plan& plan, const std::vector<std::string>& layers);

/// The plan as its edited graph says. Times of communications follow from their sizes, and so do
/// overheads where those of the plan do (a server's sums). What a rank
/// holds is as before. Throws InputError if the graph has delays.
Plan edited_plan(const Plan& plan, const WorkGraph& graph);

}  // namespace stepcast
