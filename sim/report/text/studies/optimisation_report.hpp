#pragma once

#include <string>

#include "sim/study/edits/step_search.hpp"
#include "sim/study/optimise/optimise.hpp"

namespace stepcast {

/// The accepted edits with their gains, the buckets in the end, and what bounds the step now.
std::string render_optimisation(const Optimisation& found);

/// The same of a step that was edited as a graph, beginning with what is doubtful.
std::string render_edited_step(const EditedStep& found);

}  // namespace stepcast
