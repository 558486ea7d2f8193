#pragma once

#include <string>

#include "sim/study/edits/step_search.hpp"
#include "sim/study/optimise/optimise.hpp"

namespace stepcast {

/// An optimisation as JSON text, indented; times in seconds, sizes in bytes.
std::string optimisation_json(const Optimisation& found);

/// The same of a step that was edited as a graph.
std::string edited_step_json(const EditedStep& found);

}  // namespace stepcast
