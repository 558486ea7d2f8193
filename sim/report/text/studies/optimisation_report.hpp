#pragma once

#include <string>

#include "sim/study/optimise/optimise.hpp"

namespace stepcast {

/// The accepted edits with their gains, the buckets in the end, and what bounds the step now.
std::string render_optimisation(const Optimisation& found);

}  // namespace stepcast
