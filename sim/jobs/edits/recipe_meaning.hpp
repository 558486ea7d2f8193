#pragma once

#include <string>

#include "models/graph/edit/work_graph.hpp"
#include "sim/jobs/edits/planned_model.hpp"

namespace stepcast {

/// Throws InputError, which says why and what to ask for instead, where a recipe has no meaning for
/// the step: a planned one of a model, or (null) a recorded one.
void require_meaning(const std::string& recipe, const WorkGraph& graph, const PlannedModel* model);

}  // namespace stepcast
