#pragma once
// Where the time of a step goes, in the terms of the authors of a family of systems.

#include <vector>

#include "models/schedule/schedule_info.hpp"
#include "sim/timeline/breakdown.hpp"

namespace stepcast {

/// The last of parts_of: what belongs to no part, and waiting.
inline constexpr const char* kOtherPart = "other";

/// Exposed time of every part, in the order of `info`, then of what is in none: compute as it runs,
/// communication only where no compute runs meanwhile. Adds up to the window.
std::vector<NamedTime> parts_of(const PartsInfo& info, const Plan& plan, const Window& window);

}  // namespace stepcast
