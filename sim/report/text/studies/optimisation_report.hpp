#pragma once

#include <string>

#include "sim/search/step_search.hpp"

namespace stepcast {

/// What is doubtful, the accepted edits with their gains, and what bounds the step now.
std::string render_edited_step(const EditedStep& found);

}  // namespace stepcast
