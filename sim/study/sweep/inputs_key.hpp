#pragma once

#include <string>

#include "models/base/text_key.hpp"
#include "sim/forecast/planned_run.hpp"

namespace stepcast {

/// All that a forecast depends on beside the number of seeds, and the program's version: contents
/// of files, not their names. For a key, not for people: part of it is bytes.
std::string inputs_text(const ScheduledJob& job);

/// inputs_text() in two parts: workload and cluster, then what schedules and options add.
std::string head_of_inputs(const ScheduledJob& job);
std::string rest_of_inputs(const ScheduledJob& job);

}  // namespace stepcast
