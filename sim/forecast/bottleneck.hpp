#pragma once

#include <string>

#include "sim/forecast/scenario.hpp"

namespace stepcast {

/// Simulates the plan of a run up to three times more, each time with a kind of cost taken away
/// (see StepWithout), fills in Forecast::what_if and begins Forecast::why with the bottleneck.
/// Costs about as much as the run did, twice: without network the step is computed at analytic
/// fidelity. Where there is chance every one of the three takes all seeds.
void add_what_if(ScheduleRun& run, const Scenario& scenario);

/// Whether add_what_if() takes less than about a second: known from the plan, so that the same
/// command prints the same. Of asynchronous schedules those at analytic fidelity do; with chance,
/// which takes all seeds, none does.
bool what_if_is_cheap(const ScheduleRun& run, const Scenario& scenario);

/// "compute: taking no time it would save 66.8 % of the step (network 16.4 %, host 0.6 %)"; empty
/// where what_if is not known.
std::string bottleneck_of(const Forecast& forecast);

}  // namespace stepcast
