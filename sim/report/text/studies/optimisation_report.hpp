#pragma once

#include <string>

#include "sim/search/optimise/optimise.hpp"
#include "sim/search/step_search.hpp"

namespace stepcast {

/// The accepted edits with their gains, the buckets in the end, and what bounds the step now.
std::string render_optimisation(const Optimisation& found);

/// The same of a step that was edited as a graph, beginning with what is doubtful.
std::string render_edited_step(const EditedStep& found);

}  // namespace stepcast
