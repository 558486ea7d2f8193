#pragma once

#include <string>

#include "sim/study/kfac/kfac_breakdown.hpp"

namespace stepcast {

/// A row for each part with its time and the sum so far, and what to know about them.
std::string render_kfac_breakdown(const KfacBreakdown& breakdown);
std::string kfac_breakdown_json(const KfacBreakdown& breakdown);

}  // namespace stepcast
