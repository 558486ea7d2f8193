#pragma once

#include "traces/job/job.hpp"

namespace stepcast {

/// Sets JobStep::begin of a job whose times begin anew in each step: from the numbers of the steps
/// and their usual length, so that clocks may drift from step to step. All zero if the run would
/// have lasted longer than four months: what numbers them is something else.
void place_steps(Job& job);

}  // namespace stepcast
