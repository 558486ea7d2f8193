#pragma once

#include <string>

#include "sim/search/optimise/optimise.hpp"
#include "sim/search/step_search.hpp"

namespace stepcast {

/// An optimisation as JSON text, indented; times in seconds, sizes in bytes.
std::string optimisation_json(const Optimisation& found);

/// The same of a step that was edited as a graph.
std::string edited_step_json(const EditedStep& found);

}  // namespace stepcast
