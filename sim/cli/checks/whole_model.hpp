#pragma once

#include "sim/forecast/scenario.hpp"

namespace stepcast {

/// For commands, called `command`, of schedules that do not cut the model: throws InputError for a
/// recorded pipeline.
void require_whole_model(const Scenario& scenario, const char* command);

}  // namespace stepcast
