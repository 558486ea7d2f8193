#pragma once

#include <string>

#include "sim/search/step_search.hpp"

namespace stepcast {

/// A step that was edited as JSON text, indented; times in seconds, sizes in bytes.
std::string edited_step_json(const EditedStep& found);

}  // namespace stepcast
