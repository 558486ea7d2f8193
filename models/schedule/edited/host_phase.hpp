#pragma once

#include <algorithm>
#include <optional>

#include "models/schedule/plan.hpp"

namespace stepcast {

/// Of what hosts do beside their devices: reports tell of it where nothing else goes on.
inline constexpr const char* kHostPhase = "host";

/// Where the plan's hosts take time beside their devices: see with_host().
inline std::optional<PhaseId> host_phase_of(const Plan& plan) {
  const auto found = std::ranges::find(plan.phases, kHostPhase);
  if (found == plan.phases.end())
    return std::nullopt;
  return static_cast<PhaseId>(found - plan.phases.begin());
}

}  // namespace stepcast
