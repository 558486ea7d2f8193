#pragma once

#include <nlohmann/json_fwd.hpp>

#include "traces/stalled_steps.hpp"

namespace stepcast {

/// What inspect, replay, diagnose and optimise say under "stalls" of a recording that has some.
nlohmann::ordered_json stalls_json(const RecordedPace& pace);

}  // namespace stepcast
