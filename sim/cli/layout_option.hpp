#pragma once

#include <string>

#include "sim/cli/run_request.hpp"

namespace stepcast {

/// The option --layout, for commands that know schedules which cut the model.
CommandOption layout_option(std::string& layout);

/// The ways of a layout are options of those schedules: adds them to the settings. Throws
/// InputError.
void add_layout(const std::string& layout, RunRequest& request);

/// Throws InputError where there is a layout and the experiment's only schedule does not cut the
/// model.
void require_cut(const std::string& layout, const Experiment& experiment);

}  // namespace stepcast
