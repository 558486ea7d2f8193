#pragma once

#include "sim/forecast/scheduled_job.hpp"
#include "sim/search/options/option_space.hpp"

namespace stepcast {

/// What of a pipeline's options fits into a GPU.
struct FittedOptions {
  std::optional<ScheduleOptions> options;  ///< None fit: none.
  ScheduleOptions leanest;                 ///< Hold least, fit or not.
  Bytes least{};
  std::size_t tried = 0;
};

/// Options of a plan that holds no more than `budget`, with a step within 0.1 % of the shortest of
/// all combinations of those that decide what a GPU holds (memory_options()); the others stay.
///
/// Of every combination its job says what it holds and what no simulation can come below
/// (step_bound()). Those that fit are simulated from the lowest bound on, until none that is left
/// can be 0.1 % shorter. Costs .1 to .5 ms for a combination, and mostly one to ten of them a
/// simulation. Of plans of many more tasks than the job's own the first is taken where no
/// others fit. A signal that asks to stop (see StopsBetweenJobs) ends it once one is simulated;
/// before that it throws Stopped.
FittedOptions fitted_options(const ScheduledJob& job, OptionSteps& steps, Bytes budget);

}  // namespace stepcast
