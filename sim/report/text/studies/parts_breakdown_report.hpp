#pragma once

#include <string>

#include "sim/study/parts_breakdown.hpp"

namespace stepcast {

/// A row for each part with its time and the sum so far, and what to know about them.
std::string render_parts_breakdown(const PartsBreakdown& breakdown);
std::string parts_breakdown_json(const PartsBreakdown& breakdown);
std::string parts_breakdown_csv(const PartsBreakdown& breakdown);

}  // namespace stepcast
