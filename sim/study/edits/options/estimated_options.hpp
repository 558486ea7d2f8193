#pragma once

#include "sim/study/edits/options/option_space.hpp"
#include "sim/study/edits/step_search.hpp"

namespace stepcast {

/// As best_options(), where a simulation is dear: all is searched by estimates, and what they like
/// best is simulated, with the two values of each option beside it that promise most, as long as
/// that finds a shorter step and the simulations are few (two at least). What counts is the
/// simulated step. Its options are told together, as the steps between were not simulated.
///
/// `tasks`: of the plan that it begins with. Expects space.estimate. Counts in `result` what was
/// estimated and simulated.
ScheduleOptions best_options_by_estimate(const OptionSpace& space, std::size_t tasks,
                                         const ScheduleOptions& begin, Bytes memory,
                                         EditedStep& result);

}  // namespace stepcast
