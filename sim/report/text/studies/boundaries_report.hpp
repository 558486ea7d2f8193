#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sim/study/crossover/boundaries.hpp"

namespace stepcast {

inline constexpr const char* kDensityCaveat =
    "Only time is forecast, not convergence: at one density the schemes send different entries.";

/// Tables of boundaries, what moves each away from where bytes alone would put it, and the caveat;
/// "" where there are none.
std::string render_boundaries(const std::vector<JobBoundaries>& jobs);
nlohmann::ordered_json boundaries_json(const std::vector<JobBoundaries>& jobs);

}  // namespace stepcast
