#pragma once

#include <cstddef>

#include "sim/cli/command_option.hpp"
#include "sim/study/sweep/sweep.hpp"

namespace stepcast {

/// The option by which a user asks for a comparison in which nothing is communicated.
CommandOption without_gradients_option(bool& without_gradients);

/// Throws InputError if several schedules are to be compared on several ranks for a workload
/// without gradients: all of them would do the same, at an efficiency of 100 %. Not if `asked_for`.
void check_gradients(const Scenario& scenario, std::size_t schedules, bool asked_for);

/// The same for every size and workload of a sweep.
void check_gradients(const Sweep& sweep, bool asked_for);

}  // namespace stepcast
