#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sim/study/crossover/boundaries.hpp"

namespace stepcast {

/// Tables of boundaries, and what moves each away from where bytes alone would put it; "" where
/// there are none.
std::string render_boundaries(const std::vector<JobBoundaries>& jobs);
nlohmann::ordered_json boundaries_json(const std::vector<JobBoundaries>& jobs);

}  // namespace stepcast
