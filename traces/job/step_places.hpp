#pragma once

#include "traces/job/job.hpp"

namespace stepcast {

/// Sets JobStep::begin, so that clocks may drift from step to step. Where times begin anew in each
/// step it follows from the steps' numbers and usual length: all zero if the run would have lasted
/// longer than four months, as what numbers them is something else. Where times count through the
/// run they tell it, and are made to begin anew. Precondition: there are steps, none is empty.
void place_steps(Job& job);

}  // namespace stepcast
